// Says of a JSON-RPC message what it is in ACP v2 and what is wrong with it: acp_v2/message_validation.py in JavaScript.

import { SchemaValidator } from "./schema_validator.js";
import { closest, isInteger, isNumber, isObject, kindOf } from "./words.js";

const problem = (pointer, text) => ({ pointer, text, lenient: null });

const verdict = (kind, method, sender, retryClass, problems, notes = []) =>
  ({ kind, method, sender, retryClass, problems, notes });

const unknown = (text) => verdict("unknown", null, null, null, [problem("", text)]);

const isId = (value) => typeof value === "string" || isNumber(value);

/** Validates the messages of one conversation in their order, so that a response finds its request. */
export class MessageValidator {
  #validator;
  #methods;
  #asked = new Map();

  constructor(schema, methods) {
    this.#validator = new SchemaValidator(schema);
    this.#methods = new Map(Object.entries(methods.methods));
  }

  /** Look at one message; `sender` is the side that wrote it and `method` what a response answers, where known. */
  check(message, { sender = null, method = null } = {}) {
    if (Array.isArray(message)) {
      return unknown("is an array; v2 has no batches, and answers this with one -32600 and id null");
    }
    if (!isObject(message)) return unknown(`has to be an object, but is ${kindOf(message)}`);
    const has = (name) => Object.hasOwn(message, name);
    let found;
    if (has("method")) found = this.#call(message, sender);
    else if (has("result") || has("error")) found = this.#response(message, method);
    else found = unknown("has neither a method nor a result nor an error, so it is no message");
    return { ...found, problems: [...envelopeProblems(message), ...found.problems] };
  }

  #call(message, sender) {
    const name = message.method;
    const kind = Object.hasOwn(message, "id") ? "request" : "notification";
    if (typeof name !== "string") {
      return verdict(kind, null, null, null, [problem("/method", `has to be a string, but is ${kindOf(name)}`)]);
    }
    if (kind === "request" && isId(message.id)) {
      const key = idKey(message.id);
      this.#asked.set(key, [...(this.#asked.get(key) ?? []), name]);
    }
    if (name.startsWith("_")) {
      return verdict(kind, name, sender, null, [], ["an extension method, which the schema does not describe"]);
    }
    const method = this.#methods.get(name);
    if (!method) {
      const meant = closest(name, this.#methods.keys());
      const hint = meant ? `did you mean ${meant}?` : "the answer is -32601";
      return verdict(kind, name, null, null, [problem("/method", `v2 has no method ${name}; ${hint}`)]);
    }
    const found = method.messages.find((m) => m.kind === kind);
    if (!found) {
      const other = method.messages[0];
      const text = kind === "request"
        ? `${name} is a notification; it must not have an id`
        : `${name} is a request; it needs an id`;
      return verdict(other.kind, name, other.from, other.retry.class, [problem("/id", text)]);
    }
    const problems = [...sideProblems(name, found, sender), ...this.#paramsProblems(found, message)];
    if (Object.hasOwn(message, "result") || Object.hasOwn(message, "error")) {
      problems.push(problem("", "has a method and a result or an error; it is a call or a response, not both"));
    }
    const aboutKeys = this.#keyNotes(name, message.params);
    const notes = this.#validator.notes(message.params, "/params").filter((note) => !aboutKeys.has(note.name));
    return verdict(kind, name, found.from, found.retry.class, problems, [...aboutKeys.values(), ...notes.map(noted)]);
  }

  #paramsProblems(found, { params = null }) {
    if (params === null) {
      const empty = this.#validator.problems(found.params, {}).map((p) => p.text);
      return empty.length ? [problem("/params", `is missing; ${found.params} ${empty.join(" and ")}`)] : [];
    }
    if (Array.isArray(params)) return [problem("/params", "is an array; ACP takes params by name, in an object")];
    return this.#validator.problems(found.params, params, "/params");
  }

  /** A key in the wrong place is no error, because unknown fields are not; but it does not do what it should. */
  #keyNotes(name, params) {
    const notes = new Map();
    if (!isObject(params)) return notes;
    for (const [keyed, method] of this.#methods) {
      for (const { retry: { key } } of method.messages) {
        if (!key) continue;
        if (name === keyed && (params[key] ?? null) === null) {
          notes.set(key, `without ${key}, sending it again is duplicating`);
        }
        if (name !== keyed && Object.hasOwn(params, key)) {
          notes.set(key, `${key} has no effect here; only ${keyed} takes it`);
        }
        if (isObject(params._meta) && Object.hasOwn(params._meta, key)) {
          notes.set(key, `${key} has no effect in _meta; it belongs in the params of ${keyed}`);
        }
      }
    }
    return notes;
  }

  /** Against each request that it may answer; with several of the same id (one of each side), the best counts. */
  #response(message, method) {
    let candidates = [method];
    const asked = (isId(message.id) && this.#asked.get(idKey(message.id))) || [];
    if (method === null) {
      candidates = asked;
      if (!candidates.length && !Object.hasOwn(message, "error")) {
        const text = "no request with this id came before, so its method is not known; say which it answers";
        return verdict("response", null, null, null, [problem("/id", text)]);
      }
    }
    const verdicts = (candidates.length ? candidates : [null]).map((name) => this.#responseTo(message, name));
    const best = verdicts.reduce((a, b) => (b.problems.length < a.problems.length ? b : a));
    if (method === null && asked.length) asked.splice(verdicts.indexOf(best), 1);
    return best;
  }

  #responseTo(message, name) {
    const has = (field) => Object.hasOwn(message, field);
    let problems = [];
    const method = this.#methods.get(name);
    const request = method?.messages.find((m) => m.kind === "request");
    if (name !== null && !request && !name.startsWith("_")) {
      const what = method ? "a notification, which gets no response" : "which is no method of v2";
      problems.push(problem("", `answers ${name}, ${what}`));
    }
    if (has("result") && has("error")) {
      problems.push(problem("", "has a result and an error; a response has one of them"));
    }
    let notes = [];
    if (has("error")) problems = [...problems, ...this.#validator.problems("Error", message.error, "/error")];
    else if (request) {
      problems = [...problems, ...this.#validator.problems(request.result, message.result, "/result")];
      notes = this.#validator.notes(message.result, "/result").map(noted);
    }
    return verdict("response", name, request?.to ?? null, request?.retry.class ?? null, problems, notes);
  }
}

const idKey = (id) => `${typeof id === "string"} ${id}`;

const noted = ({ pointer, text }) => `${pointer} ${text}`;

function envelopeProblems(message) {
  const has = (name) => Object.hasOwn(message, name);
  const problems = [];
  if (!has("jsonrpc")) problems.push(problem("", 'needs the field jsonrpc with the value "2.0"'));
  else if (message.jsonrpc !== "2.0") problems.push(problem("/jsonrpc", 'has to be "2.0"'));
  if (has("id")) {
    if (message.id === null && !has("method") && has("error")) return problems;
    if (!isId(message.id)) {
      problems.push(problem("/id", `has to be a string or an integer, but is ${kindOf(message.id)}`));
    } else if (isNumber(message.id) && !isInteger(message.id)) {
      problems.push(problem("/id", "has to be a string or an integer, but is a number with a fraction"));
    }
  } else if (!has("method")) problems.push(problem("", "needs the field id, the id of the request that it answers"));
  return problems;
}

function sideProblems(name, { kind, from, to }, sender) {
  // A conductor hands a client's messages on to a proxy, and a proxy an agent's to its conductor, as they are.
  const standsFor = { conductor: "client", proxy: "agent" }[sender];
  if (sender === null || [sender, standsFor, "either"].includes(from)) return [];
  return [problem("/method", `the ${sender} must not send the ${kind} ${name}; it goes from ${from} to ${to}`)];
}
