"""Agents that behave badly, each in its own way: python hostile.py WAY. They need nothing but Python."""

import json
import os
import signal
import subprocess
import sys
import time

WAY = sys.argv[1]
SESSION_UPDATE = {"sessionUpdate": "session_info_update", "title": "Once more"}


def send(message: object) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def flood() -> None:
    text = json.dumps(
        {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": SESSION_UPDATE}}
    )
    while True:
        sys.stdout.write((text + "\n") * 100)


def at_start() -> None:
    match WAY:
        case "crashes at once":
            sys.exit(3)
        case "leaves a child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        case "floods standard error":
            subprocess.Popen([sys.executable, "-c", "import os\nwhile True: os.write(2, b'x' * 65536)"])
        case "ignores signals and the end of its input":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)


def at_a_message() -> None:
    match WAY:
        case "hangs":
            time.sleep(1000)
        case "writes noise":
            print("Listening on your standard input…\n{half a message", flush=True)
        case "writes bytes that are no text":
            os.write(1, b"\xff\xfe\x00\n")


def at_a_prompt() -> None:
    match WAY:
        case "crashes at a prompt":
            os._exit(3)
        case "floods updates":
            flood()
        case "never ends a line":
            while True:
                sys.stdout.write("x" * 65536)


def main() -> None:
    at_start()
    for line in sys.stdin:
        request = json.loads(line)
        at_a_message()
        if "id" not in request:
            continue
        answer = {"jsonrpc": "2.0", "id": request["id"] + (1000 if WAY == "answers with a wrong id" else 0)}
        match request["method"]:
            case "initialize":
                info = {"name": WAY, "version": "1"}
                send({**answer, "result": {"protocolVersion": 2, "info": info, "capabilities": {"session": {}}}})
            case "session/new":
                send({**answer, "result": {"sessionId": "s"}})
            case method:
                if method == "session/prompt":
                    at_a_prompt()
                send({**answer, "error": {"code": -32603, "message": "No"}})
    while WAY == "ignores signals and the end of its input":
        time.sleep(1)


main()
