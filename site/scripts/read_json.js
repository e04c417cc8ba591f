// Reads one JSON text as acp_v2/wire.py does: strictly. JSON.parse would keep the last of two equal keys silently, let
// lone surrogates and big integers pass, and say nothing of where a value stands in the text.

const MAX_DEPTH = 200;

export class WireError extends Error {
  constructor(code, message, offset) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const PLAIN = /[^"\\\x00-\x1f]*/y;
const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null/y;
const LITERALS = { true: true, false: false, null: null };
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** The value, and the range of text of every value in it by JSON pointer. Integers too large for a number are BigInts. */
export function readJson(text) {
  let at = 0;
  let firstLone; // Told of last, because whatever else is wrong comes first in acp_v2/wire.py.
  const ranges = new Map();

  const fail = (message, offset = at) => {
    const before = text.slice(0, offset).split("\n");
    const where = `line ${before.length}, column ${[...before.at(-1)].length + 1}`; // Code points.
    throw new WireError(-32700, `is not JSON: ${message} at ${where}`, offset);
  };
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };

  function string() {
    const start = at++;
    let value = "";
    for (;;) {
      value += match(PLAIN)[0];
      const next = text[at];
      if (next === '"') break;
      if (next === undefined) fail("unterminated string starting", start);
      if (next !== "\\") fail("invalid control character");
      const escape = text[at + 1];
      if (escape === undefined) fail("unterminated string starting", start);
      if (escape === "u") {
        const digits = text.slice(at + 2, at + 6);
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) fail("invalid \\uxxxx escape", at + 1);
        value += String.fromCharCode(parseInt(digits, 16));
        at += 6;
      } else if (escape in ESCAPES) {
        value += ESCAPES[escape];
        at += 2;
      } else fail("invalid \\escape");
    }
    at++;
    if (!value.isWellFormed()) firstLone ??= start;
    return value;
  }

  function number() {
    const start = at;
    const found = match(NUMBER);
    if (!found) {
      const constant = /NaN|-?Infinity/y;
      constant.lastIndex = at;
      const name = constant.exec(text)?.[0];
      if (name) throw new WireError(-32700, `is not JSON: ${name} is no number`, start);
      fail("expecting value");
    }
    const value = Number(found[0]);
    if (found[1] || found[2]) {
      if (!Number.isFinite(value)) throw new WireError(-32700, "has a number that is too large", start);
      return value;
    }
    if (found[0].length > 4300) throw new WireError(-32700, "has a number with more digits than can be read", start);
    return Number.isSafeInteger(value) ? value : BigInt(found[0]);
  }

  function members(pointer, depth) {
    const value = {};
    const seen = new Set();
    at++;
    match(SPACE);
    if (text[at] === "}") return at++, value;
    for (;;) {
      if (text[at] !== '"') fail("expecting property name enclosed in double quotes");
      const start = at;
      const key = string();
      if (seen.has(key)) {
        const shown = ascii(JSON.stringify([...key].slice(0, 60).join("")));
        throw new WireError(-32600, `has the key ${shown} twice in one object`, start);
      }
      seen.add(key);
      match(SPACE);
      if (text[at] !== ":") fail("expecting ':' delimiter");
      at++;
      const inner = read(`${pointer}/${escaped(key)}`, depth);
      // An own property even where the key is __proto__.
      Object.defineProperty(value, key, { value: inner, enumerable: true, writable: true, configurable: true });
      match(SPACE);
      if (text[at] === "}") return at++, value;
      if (text[at] !== ",") fail("expecting ',' delimiter");
      at++;
      match(SPACE);
    }
  }

  function items(pointer, depth) {
    const value = [];
    at++;
    match(SPACE);
    if (text[at] === "]") return at++, value;
    for (;;) {
      value.push(read(`${pointer}/${value.length}`, depth));
      match(SPACE);
      if (text[at] === "]") return at++, value;
      if (text[at] !== ",") fail("expecting ',' delimiter");
      at++;
    }
  }

  function read(pointer, depth) {
    match(SPACE);
    const start = at;
    const next = text[at];
    let value;
    if ((next === "{" || next === "[") && depth >= MAX_DEPTH) {
      throw new WireError(-32700, `nests deeper than ${MAX_DEPTH} levels`, at);
    }
    if (next === "{") value = members(pointer, depth + 1);
    else if (next === "[") value = items(pointer, depth + 1);
    else if (next === '"') value = string();
    else {
      const word = match(WORD);
      value = word ? LITERALS[word[0]] : number();
    }
    ranges.set(pointer, [start, at]);
    return value;
  }

  if (text.startsWith("\ufeff")) throw new WireError(-32700, "begins with a byte order mark", 0);
  const value = read("", 0);
  match(SPACE);
  if (at < text.length) fail("extra data");
  if (firstLone !== undefined) throw new WireError(-32700, "has a lone surrogate in a string", firstLone);
  return { value, ranges };
}

/** A JSON text in which everything beyond ASCII is escaped, so that a key is told from one that only looks like it. */
const ascii = (text) =>
  text.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const escaped = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");
