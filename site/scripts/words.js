// How things are said, the same as in acp_v2/explaining_validator.py.

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const isNumber = (value) => typeof value === "number" || typeof value === "bigint";
export const isInteger = (value) => typeof value === "bigint" || Number.isInteger(value);

export function kindOf(value) {
  if (value === null) return "null";
  if (typeof value === "boolean") return "a boolean";
  if (isNumber(value)) return "a number";
  if (typeof value === "string") return "a string";
  return Array.isArray(value) ? "an array" : "an object";
}

export const KINDS = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  null: "null",
};

export const either = (words) =>
  words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** A string in quotes, as Python's repr writes it: what cannot be seen is escaped. */
export function quoted(value) {
  if (typeof value !== "string") return String(value);
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const text = value.replace(/[\\\p{C}\p{Z}]/gu, (c) => (c === " " ? c : SHORT[c] ?? numbered(c.codePointAt(0))));
  return quote + (quote === "'" ? text.replaceAll("'", "\\'") : text) + quote;
}

const SHORT = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function numbered(code) {
  const [mark, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${mark}${code.toString(16).padStart(digits, "0")}`;
}

/** Strings in the order of their code points, in which Python sorts them; `sort()` goes by halves of surrogate pairs. */
export const sorted = (names) => {
  const points = (name) => [...name].map((c) => c.codePointAt(0).toString(16).padStart(6, "0")).join("");
  const keyed = names.map((name) => [points(name), name]);
  return keyed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, name]) => name);
};

/** The most similar of the known names, if any is similar enough: difflib.get_close_matches of Python. */
export function closest(name, known) {
  let best;
  const given = [...name];
  for (const candidate of known) {
    const all = candidate.length + given.length; // What is known is ASCII.
    // With lengths so different nothing can match well enough; a name may be as long as the whole message.
    if ((2 * Math.min(candidate.length, given.length)) / all < 0.6) continue;
    const score = (2 * matching([...candidate], given)) / all;
    if (score >= 0.6 && (!best || score > best[0] || (score === best[0] && candidate > best[1]))) {
      best = [score, candidate];
    }
  }
  return best?.[1];
}

/** How many characters Ratcliff and Obershelp's matching blocks have. */
function matching(a, b) {
  let [start, other, size] = [0, 0, 0];
  let previous = [];
  for (let i = 0; i < a.length; i++) {
    const lengths = [];
    for (let j = 0; j < b.length; j++) {
      if (a[i] === b[j]) {
        lengths[j] = (previous[j - 1] ?? 0) + 1;
        if (lengths[j] > size) [size, start, other] = [lengths[j], i - lengths[j] + 1, j - lengths[j] + 1];
      }
    }
    previous = lengths;
  }
  if (!size) return 0;
  return (
    size +
    matching(a.slice(0, start), b.slice(0, other)) +
    matching(a.slice(start + size), b.slice(other + size))
  );
}
