// The page that says of pasted messages what they are and what is wrong with them.

import { MessageValidator } from "./message_validator.js";
import { readJson, WireError } from "./read_json.js";

/** How many messages, and how many lines on each, are shown. A log may have more than a page can hold. */
const MOST_MESSAGES = 500;
const MOST_LINES = 100;

/** Show the checker in an element. `root` is the site's address, which the schema files are below. */
export async function mount(element, root) {
  const load = async (name) => (await fetch(new URL(`schema/${name}`, root))).json();
  const [schema, methods] = await Promise.all([load("schema.unstable.json"), load("methods.json")]);

  element.innerHTML = `
    <label for="checker-text">One JSON-RPC message, or one on each line</label>
    <textarea id="checker-text" rows="12" spellcheck="false" autocapitalize="off" autocomplete="off"></textarea>
    <p><label>Sent by <select id="checker-sender"><option value="">any side</option></select></label>
    <label>A response answers <select id="checker-method"><option value="">the request before it</option></select></label></p>
    <div id="checker-verdicts" role="status"></div>`;
  const [text, sender, method, verdicts] = ["text", "sender", "method", "verdicts"].map((n) =>
    element.querySelector(`#checker-${n}`),
  );
  for (const side of ["client", "agent", "proxy", "conductor"]) sender.add(new Option(side));
  for (const name of Object.keys(methods.methods)) method.add(new Option(name));

  const check = () => {
    const validator = new MessageValidator(schema, methods);
    const options = { sender: sender.value || null, method: method.value || null };
    const all = messages(text.value);
    const boxes = all.slice(0, MOST_MESSAGES).map(({ offset, line, source }) => {
      let read = { ranges: new Map() };
      let verdict;
      try {
        read = readJson(source);
        verdict = validator.check(read.value, options);
      } catch (e) {
        if (!(e instanceof WireError)) throw e;
        verdict = {
          kind: "unknown", method: null, sender: null, retryClass: null, notes: [],
          problems: [{ pointer: "", text: `${e.message}; the answer is ${e.code}`, lenient: null, range: [e.offset, e.offset + 1] }],
        };
      }
      const select = (problem) => {
        const [from, to] = problem.range ?? rangeOf(read.ranges, problem.pointer);
        text.focus();
        text.setSelectionRange(offset + from, offset + to);
      };
      return shown(verdict, all.length > 1 ? line : null, select);
    });
    verdicts.replaceChildren(...boxes);
    if (all.length > boxes.length) {
      verdicts.append(`These are the first ${boxes.length} of ${all.length} messages; acpspec validate reads them all.`);
    }
  };
  let waiting;
  element.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(check, 150);
  });
  element.dataset.ready = "";
  // A link from an example can bring its message along: checker/#message=…
  const given = new URLSearchParams(location.hash.slice(1)).get("message");
  if (given) (text.value = given), check();
}

/** One message that may span lines, or one on each line. A text that is no JSON as a whole is told by its first lines. */
function messages(text) {
  const isJson = ({ source }) => {
    try {
      return typeof JSON.parse(source) === "object";
    } catch {
      return false;
    }
  };
  const whole = { offset: 0, line: 1, source: text };
  if (isJson(whole)) return [whole];
  let offset = 0;
  const lines = text.split("\n").map((source, i) => {
    const found = { offset, line: i + 1, source };
    offset += source.length + 1;
    return found;
  }).filter(({ source }) => source.trim());
  return lines.length > 1 && !isJson(lines[0]) && !isJson(lines[1]) ? [whole] : lines;
}

/** Where the value of a pointer stands, or the nearest value around it. */
function rangeOf(ranges, pointer) {
  while (!ranges.has(pointer)) {
    if (!pointer) return [0, 0];
    pointer = pointer.slice(0, pointer.lastIndexOf("/"));
  }
  return ranges.get(pointer);
}

function shown(verdict, line, select) {
  const box = document.createElement("section");
  const isValid = !verdict.problems.length;
  box.className = `admonition ${isValid ? "success" : "failure"}`;
  const title = document.createElement("p");
  title.className = "admonition-title";
  title.textContent = (line ? `line ${line}: ` : "") + described(verdict) + (isValid ? " — valid" : " — not valid");
  const list = document.createElement("ul");
  const add = (words) => {
    const item = document.createElement("li");
    item.append(words);
    list.append(item);
  };
  const addRest = (lines) => lines.length > MOST_LINES && add(`… and ${lines.length - MOST_LINES} more`);
  for (const problem of verdict.problems.slice(0, MOST_LINES)) {
    const item = document.createElement("li");
    const place = document.createElement("button");
    place.type = "button";
    place.className = "checker-place";
    place.textContent = problem.pointer || "the message";
    place.addEventListener("click", () => select(problem));
    item.append(place, ` ${problem.text}${problem.lenient ? ` (${problem.lenient})` : ""}`);
    list.append(item);
  }
  addRest(verdict.problems);
  for (const note of verdict.notes.slice(0, MOST_LINES)) add(`note: ${note}`);
  addRest(verdict.notes);
  if (verdict.retryClass) add(`retry class: ${verdict.retryClass}`);
  box.append(title, list);
  return box;
}

function described({ kind, method, sender }) {
  if (method === null) return kind === "unknown" ? "no message of ACP v2" : `${kind}, method not known`;
  const named = kind === "response" ? `response to ${method}` : `${kind} ${method}`;
  const by = sender === null ? "" : sender === "either" ? ", sent by either side" : `, sent by the ${sender}`;
  return named + by;
}
