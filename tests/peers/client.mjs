// The official TypeScript SDK as the client of an agent, through the traces of the proposal.
//
//   node client.mjs '{"transport": "stdio" | "ws" | "http", "command": [...], "trace": "..."}'
//
// Prints what it saw as one line of JSON. The command is run for each connection over stdio, and once for all of them
// over a socket; there it says on standard error where it listens.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { createHttpStream } from "@agentclientprotocol/sdk/experimental/http-client";
import { createWebSocketStream } from "@agentclientprotocol/sdk/experimental/ws-client";
import { WebSocket } from "ws";

const { transport, command, trace, token } = JSON.parse(process.argv[2]);
const cwd = "/work/project";
const headers = token ? { Authorization: `Bearer ${token}` } : {};

class Place {
  children = [];
  connections = [];
  url = undefined;

  async connect() {
    const connection = new Connection(await this.stream());
    this.connections.push(connection);
    await connection.agent.request("initialize", { protocolVersion: 2, info: { name: "official", version: "2.4.0" } });
    return connection;
  }

  async stream() {
    if (transport === "stdio") {
      const child = this.spawn(["pipe", "pipe", "inherit"]);
      return ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
    }
    this.url ??= await this.listen();
    if (transport === "ws") {
      return createWebSocketStream(this.url, { WebSocket, headers });
    }
    return createHttpStream(this.url, { headers });
  }

  async listen() {
    const child = this.spawn(["ignore", "inherit", "pipe"]);
    for await (const line of createInterface({ input: child.stderr })) {
      const found = /listening on (\S+)/.exec(line);
      if (found) {
        child.stderr.pipe(process.stderr);
        return found[1];
      }
      console.error(line);
    }
    throw new Error("the agent does not listen");
  }

  spawn(stdio) {
    const child = spawn(command[0], command.slice(1), { stdio });
    this.children.push(child);
    return child;
  }

  // End the agent without warning.
  async restart() {
    const running = this.children.filter((child) => child.exitCode === null && child.signalCode === null);
    const ended = running.map((child) => once(child, "exit"));
    running.forEach((child) => child.kill("SIGKILL"));
    await Promise.all(ended);
    this.connections.forEach((connection) => connection.close());
    this.children = [];
    this.connections = [];
    this.url = undefined;
  }
}

class Connection {
  updates = [];
  waiting = [];

  constructor(stream) {
    this.connection = client({ name: "official" })
      .onNotification("session/update", ({ params }) => {
        this.updates.push(params);
        this.waiting.splice(0).forEach((wake) => wake());
      })
      .connect(stream);
    this.agent = this.connection.agent;
  }

  async newSession() {
    return (await this.agent.request("session/new", { cwd })).sessionId;
  }

  resume(sessionId) {
    return this.agent.request("session/resume", { sessionId, cwd, replayFrom: { type: "start" } });
  }

  // The message's id, or the error's code.
  async prompt(sessionId, text, idempotencyKey, options) {
    const params = { sessionId, prompt: [{ type: "text", text }], idempotencyKey };
    try {
      return (await this.agent.request("session/prompt", params, options)).messageId;
    } catch (error) {
      if (error.code === undefined) {
        throw error;
      }
      return error.code;
    }
  }

  async until(sessionId, fits) {
    while (!this.updates.some((params) => params.sessionId === sessionId && fits(params.update))) {
      await new Promise((wake) => this.waiting.push(wake));
    }
  }

  untilIdle(sessionId) {
    return this.until(sessionId, (update) => update.state === "idle");
  }

  // The agent answers in order, so that what it sent before has come.
  async everythingSent(sessionId) {
    await this.agent.request("session/resume", { sessionId, cwd });
  }

  userMessages(sessionId) {
    return this.updates
      .filter((params) => params.sessionId === sessionId && params.update.sessionUpdate === "user_message")
      .map((params) => params.update.messageId);
  }

  close() {
    this.connection.close();
  }
}

const traces = {
  async "retry-same-connection"(place) {
    const peer = await place.connect();
    const session = await peer.newSession();
    const key = crypto.randomUUID();
    const ids = [await peer.prompt(session, "Hello there", key), await peer.prompt(session, "Hello there", key)];
    await peer.untilIdle(session);
    ids.push(await peer.prompt(session, "Hello there", key));
    await peer.everythingSent(session);
    return { ids, messages: peer.userMessages(session) };
  },

  async "retry-after-resume"(place) {
    const first = await place.connect();
    const session = await first.newSession();
    const key = crypto.randomUUID();
    const ids = [await first.prompt(session, "Hello there", key)];
    await first.untilIdle(session);
    first.close();
    const second = await place.connect();
    await second.resume(session);
    ids.push(await second.prompt(session, "Hello there", key));
    await second.everythingSent(session);
    return { ids, messages: second.userMessages(session) };
  },

  async "retry-after-restart"(place) {
    const first = await place.connect();
    const session = await first.newSession();
    const key = crypto.randomUUID();
    const ids = [await first.prompt(session, "Hello there", key)];
    await place.restart();
    const second = await place.connect();
    await second.resume(session);
    ids.push(await second.prompt(session, "Hello there", key));
    await second.everythingSent(session);
    return { ids, messages: second.userMessages(session) };
  },

  async "retry-while-held"(place) {
    const peer = await place.connect();
    const session = await peer.newSession();
    await peer.prompt(session, "/sleep 1000");
    const [held, withdrawn] = [crypto.randomUUID(), crypto.randomUUID()];
    const attempts = [peer.prompt(session, "Hello there", held), peer.prompt(session, "Hello there", held)];
    const stop = new AbortController();
    const cancelled = [
      peer.prompt(session, "Never mind", withdrawn, { cancellationSignal: stop.signal }),
      peer.prompt(session, "Never mind", withdrawn),
    ];
    await peer.everythingSent(session);
    stop.abort();
    const codes = await Promise.all(cancelled);
    const before = peer.userMessages(session).length;
    await peer.agent.notify("session/cancel", { sessionId: session });
    codes.push(...(await Promise.all(attempts)));
    await peer.untilIdle(session);
    const busy = peer.prompt(session, "/sleep 0.2");
    const retried = [peer.prompt(session, "Hello there", held), peer.prompt(session, "Hello there", held)];
    await busy;
    const ids = await Promise.all(retried);
    await peer.everythingSent(session);
    return { codes, before, ids, messages: peer.userMessages(session).slice(2) };
  },

  async "retry-after-error"(place) {
    const peer = await place.connect();
    const session = await peer.newSession();
    const key = crypto.randomUUID();
    const code = await peer.prompt(session, "/fail 1", key);
    const ids = [await peer.prompt(session, "/fail 1", key), await peer.prompt(session, "/fail 1", key)];
    await peer.everythingSent(session);
    return { code, ids, messages: peer.userMessages(session) };
  },

  async "same-key-elsewhere"(place) {
    const peer = await place.connect();
    const session = await peer.newSession();
    const key = crypto.randomUUID();
    const ids = [await peer.prompt(session, "Hello there", key)];
    await peer.untilIdle(session);
    ids.push(await peer.prompt(await peer.newSession(), "Hello there", key));
    const fork = (await peer.agent.request("session/fork", { sessionId: session, cwd })).sessionId;
    ids.push(await peer.prompt(fork, "Hello there", key));
    return { ids };
  },

  async "retry-during-work"(place) {
    const peer = await place.connect();
    const session = await peer.newSession();
    const first = await peer.prompt(session, "/sleep 1000");
    const key = crypto.randomUUID();
    const ids = [await peer.prompt(session, "Hello there", key), await peer.prompt(session, "Hello there", key)];
    await peer.agent.notify("session/cancel", { sessionId: session });
    await peer.untilIdle(session);
    ids.push(await peer.prompt(session, "Hello there", key));
    await peer.everythingSent(session);
    return { first, ids, messages: peer.userMessages(session) };
  },
};

const place = new Place();
try {
  console.log(JSON.stringify(await traces[trace](place)));
} finally {
  await place.restart();
}
process.exit(0);
