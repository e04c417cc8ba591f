// The official SDK as an agent with sessions in memory, or in a file: node agent.mjs [FILE]
//
// It holds prompts while its session is at work, follows the texts of the reference agent (/sleep S, /fail 1, /local),
// and knows nothing of keys, like the SDK. With /ask it asks for a permission and a name, and says what was answered.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream, RequestError } from "@agentclientprotocol/sdk/experimental/v2/unstable";

const file = process.argv[2];
const sessions = new Map(file && existsSync(file) ? JSON.parse(readFileSync(file, "utf-8")) : []);
const live = new Map();
let client;

function save() {
  if (file) {
    writeFileSync(file, JSON.stringify([...sessions]));
  }
}

function create(cwd, messages = []) {
  const sessionId = crypto.randomUUID();
  sessions.set(sessionId, { cwd, messages });
  live.set(sessionId, { held: [], work: undefined, failed: new Set() });
  save();
  return { sessionId };
}

function tell(sessionId, update) {
  return client.notify("session/update", { sessionId, update });
}

function active(sessionId) {
  const session = live.get(sessionId);
  if (!session) {
    throw RequestError.resourceNotFound(sessionId);
  }
  return session;
}

async function ask(sessionId) {
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  const permitted = await client.request("session/request_permission", { sessionId, title: "May I?", options });
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const form = { sessionId, mode: "form", message: "Who are you?", requestedSchema };
  const entered = await client.request("elicitation/create", form);
  const text = `${permitted.outcome.optionId ?? permitted.outcome.outcome} ${entered.content?.name ?? entered.action}`;
  const content = [{ type: "text", text }];
  await tell(sessionId, { sessionUpdate: "agent_message", messageId: crypto.randomUUID(), content });
}

async function work(sessionId, text) {
  const session = live.get(sessionId);
  const stop = new AbortController();
  session.work = stop;
  await tell(sessionId, { sessionUpdate: "state_update", state: "running" });
  if (text === "/ask") {
    await ask(sessionId);
  }
  const seconds = /^\/sleep ([\d.]+)$/.exec(text)?.[1] ?? 0;
  await new Promise((wake) => {
    const timer = setTimeout(wake, seconds * 1000);
    stop.signal.addEventListener("abort", () => (clearTimeout(timer), wake()));
  });
  session.work = undefined;
  const stopReason = stop.signal.aborted ? "cancelled" : "end_turn";
  await tell(sessionId, { sessionUpdate: "state_update", state: "idle", stopReason });
  session.held.shift()?.go();
}

function withdraw(session) {
  session.held.splice(0).forEach((held) => held.stop(RequestError.requestCancelled()));
}

async function prompt({ params, signal, client: from }) {
  client = from;
  const session = active(params.sessionId);
  const text = params.prompt[0].text;
  if (session.work || session.held.length) {
    await new Promise((go, stop) => {
      if (signal.aborted) {
        // It was cancelled before it came to this.
        stop(RequestError.requestCancelled());
        return;
      }
      const held = { go, stop };
      session.held.push(held);
      signal.addEventListener("abort", () => {
        session.held = session.held.filter((other) => other !== held);
        stop(RequestError.requestCancelled());
      });
    });
  }
  if (text === "/fail 1" && !session.failed.has(text)) {
    session.failed.add(text);
    throw RequestError.internalError();
  }
  const message = { messageId: crypto.randomUUID(), content: params.prompt };
  if (text !== "/local") {
    sessions.get(params.sessionId).messages.push(message);
    save();
  }
  await tell(params.sessionId, { sessionUpdate: "user_message", ...message });
  void work(params.sessionId, text);
  return { messageId: message.messageId };
}

async function resume({ params, client: from }) {
  client = from;
  const stored = sessions.get(params.sessionId);
  if (!stored) {
    throw RequestError.resourceNotFound(params.sessionId);
  }
  if (!live.has(params.sessionId)) {
    live.set(params.sessionId, { held: [], work: undefined, failed: new Set() });
  }
  for (const message of params.replayFrom ? stored.messages : []) {
    await tell(params.sessionId, { sessionUpdate: "user_message", ...message });
  }
  const state = live.get(params.sessionId).work ? "running" : "idle";
  await tell(params.sessionId, { sessionUpdate: "state_update", state });
  return {};
}

function close({ params }) {
  const session = live.get(params.sessionId);
  if (session) {
    withdraw(session);
    session.work?.abort();
    live.delete(params.sessionId);
  }
  return {};
}

const connection = agent({ name: "official" })
  .onRequest("initialize", () => ({
    protocolVersion: 2,
    info: { name: "official", version: "2.4.0" },
    capabilities: { session: { delete: {}, fork: {} } },
  }))
  .onRequest("session/new", ({ params, client: from }) => ((client = from), create(params.cwd)))
  .onRequest("session/fork", ({ params }) => create(params.cwd, [...sessions.get(params.sessionId).messages]))
  .onRequest("session/list", () => ({
    sessions: [...sessions].map(([sessionId, { cwd }]) => ({ sessionId, cwd })),
  }))
  .onRequest("session/resume", resume)
  .onRequest("session/close", close)
  .onRequest("session/delete", (context) => {
    close(context);
    sessions.delete(context.params.sessionId);
    save();
    return {};
  })
  .onRequest("session/prompt", prompt)
  .onNotification("session/cancel", ({ params }) => {
    const session = active(params.sessionId);
    withdraw(session);
    session.work?.abort();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
