// JSON Schema validation that follows the tags of unions, so that an error is about the variant that was meant. It is
// acp_v2/explaining_validator.py in JavaScript, with the keywords that the generated schemas use and no others: one
// that it does not know is an error, not something passed over.

import { closest, either, isInteger, isNumber, isObject, kindOf, KINDS, quoted, sorted } from "./words.js";

const TYPES = {
  string: (v) => typeof v === "string",
  integer: isInteger,
  number: isNumber,
  boolean: (v) => typeof v === "boolean",
  array: Array.isArray,
  object: isObject,
  null: (v) => v === null,
};

const ANNOTATIONS = new Set(["title", "description", "format", "default", "contentEncoding", "$comment"]);

/** An error: where (keys from the value checked), by which keyword, a sentence, and what receivers make of it. */
const error = (keyword, text) => ({ path: [], keyword, text, lenient: null });

const inside = (errors, key) => {
  for (const e of errors) e.path.unshift(key);
  return errors;
};

export class ExplainingValidator {
  #definitions;
  #plans = new Map();
  #fields = new Map();
  #tags = new Map();
  #open = new Set();

  constructor(schema) {
    this.#definitions = schema.$defs;
  }

  /** What is wrong with a value as a definition: {pointer, text, lenient}; pointers begin with `at`. */
  problems(definition, value, at = "") {
    this.#fields.clear();
    this.#tags.clear();
    this.#open.clear();
    const errors = this.#check(this.#definitions[definition], value);
    return errors.map(({ path, text, lenient }) => ({ pointer: at + pointer(path), text, lenient }));
  }

  /** What the value that `problems` was called on last has that the schema allows but does not know. */
  notes(value, at = "") {
    const unknown = new Map([...this.#tags].map(([object, entry]) => [object, [entry]]));
    for (const [object, known] of this.#fields) {
      const extra = Object.keys(object).filter((name) => !known.has(name));
      if (this.#open.has(object) || !extra.length) continue;
      const names = sorted([...known]);
      const found = sorted(extra.filter((name) => !name.startsWith("_")));
      unknown.set(object, found.map((name) => {
        const meant = closest(name, names);
        const hint = meant ? `; did you mean ${meant}?` : "";
        return { name, text: `has the field ${name}, which v2 does not know${hint}` };
      }));
    }
    return [...objects(value)].flatMap(([where, object]) =>
      (unknown.get(object) ?? []).map((note) => ({ pointer: at + where, ...note })),
    );
  }

  #check(schema, value, but) {
    // No `push(...errors)` here or below: there may be more errors than a call takes arguments.
    return Object.entries(schema).flatMap(([keyword, wanted]) =>
      keyword === but || ANNOTATIONS.has(keyword) || keyword.startsWith("x-")
        ? []
        : this.#keyword(keyword, wanted, value, schema),
    );
  }

  #keyword(keyword, wanted, value, schema) {
    switch (keyword) {
      case "$ref":
        return this.#check(this.#target(wanted), value);
      case "type": {
        const types = [wanted].flat();
        if (types.some((type) => TYPES[type](value))) return [];
        const found = types[0] === "integer" && isNumber(value) ? "a number with a fraction" : kindOf(value);
        return [error(keyword, `has to be ${either(types.map((type) => KINDS[type]))}, but is ${found}`)];
      }
      case "properties":
        return this.#properties(wanted, value);
      case "required":
        if (!isObject(value)) return [];
        return wanted.filter((n) => !Object.hasOwn(value, n)).map((n) => error(keyword, `needs the field ${n}`));
      case "additionalProperties": {
        if (!isObject(value)) return [];
        if (wanted === true) return this.#open.add(value), [];
        const others = Object.keys(value).filter((name) => !Object.hasOwn(schema.properties ?? {}, name));
        return others.flatMap((name) => inside(this.#check(wanted, value[name]), name));
      }
      case "unevaluatedProperties": // Only ever `true`.
        return this.#open.add(value), [];
      case "items":
        return Array.isArray(value) ? value.flatMap((item, i) => inside(this.#check(wanted, item), i)) : [];
      case "minItems":
        if (!Array.isArray(value) || value.length >= wanted) return [];
        return [error(keyword, `has ${value.length || "no"} items; it needs at least ${wanted}`)];
      case "minLength":
      case "maxLength": {
        if (typeof value !== "string") return [];
        const length = [...value].length; // Code points.
        if (keyword === "minLength" ? length >= wanted : length <= wanted) return [];
        const [least, most] = [schema.minLength ?? 0, schema.maxLength];
        const found = length ? `has ${length} characters` : "is empty";
        return [error(keyword, most === undefined
          ? `${found}; it needs at least ${least}`
          : `${found}; ${least} to ${most} characters are allowed`)];
      }
      case "minimum":
        if (!isNumber(value) || value >= wanted) return [];
        return [error(keyword, `is ${value}; the smallest number allowed is ${wanted}`)];
      case "maximum":
        if (!isNumber(value) || value <= wanted) return [];
        return [error(keyword, `is ${value}; the largest number allowed is ${wanted}`)];
      case "const":
        return value === wanted ? [] : [error(keyword, `has to be ${quoted(wanted)}`)];
      case "allOf":
        return wanted.flatMap((part) => this.#check(part, value));
      case "anyOf":
        if (!this.#plans.has(wanted)) this.#plans.set(wanted, this.#plan(wanted));
        return this.#plans.get(wanted)(value);
      case "oneOf":
        return this.#oneOf(wanted, value);
      case "not":
        return this.#check(wanted, value).length ? [] : [error(keyword, "is what it must not be")];
      default:
        throw new Error(`The schema has the keyword ${keyword}, which this validator does not know`);
    }
  }

  #properties(properties, value) {
    if (!isObject(value)) return [];
    if (!this.#fields.has(value)) this.#fields.set(value, new Set());
    const known = this.#fields.get(value);
    const errors = [];
    for (const [name, schema] of Object.entries(properties)) {
      known.add(name);
      if (!Object.hasOwn(value, name)) continue;
      for (const e of inside(this.#check(schema, value[name]), name)) {
        e.lenient ??= leniency(e, schema, value[name]);
        errors.push(e);
      }
    }
    return errors;
  }

  #oneOf(branches, value) {
    if (branches.every((b) => "const" in b)) return this.#listed(branches)(value);
    const fitting = branches.filter((b) => !this.#check(b, value).length);
    if (fitting.length === 1) return [];
    const marks = branches.map((b) => this.#required(b));
    if (fitting.length) {
      return [error("oneOf", `has ${marks.map((m) => m[0]).join(" and ")}; only one of them may be there`)];
    }
    const claimed = branches.filter((_, i) => isObject(value) && marks[i].every((name) => Object.hasOwn(value, name)));
    if (claimed.length === 1) return this.#check(claimed[0], value);
    return [error("oneOf", `needs the field ${either(marks.map((m) => m[0]))}`)];
  }

  /** What to do at one `anyOf`: a function from the value to errors. */
  #plan(branches) {
    const others = branches.filter((b) => !isNull(b));
    if (others.length < branches.length) {
      const schema = others.length === 1 ? others[0] : { anyOf: others };
      return (value) => (value === null ? [] : this.#check(schema, value));
    }
    if (branches.some((b) => "const" in b)) return this.#listed(branches);
    const tag = tagOf(branches);
    return tag ? this.#tagged(tag, branches) : this.#untagged(branches);
  }

  /** Listed values, and perhaps any other of the same type. */
  #listed(branches) {
    const base = { type: branches[0].type };
    const values = branches.filter((b) => "const" in b).map((b) => b.const);
    if (values.length < branches.length) return (value) => this.#check(base, value);
    const text = `has to be ${either(values.map(quoted))}`;
    return (value) => (values.includes(value) ? [] : [error("const", text)]);
  }

  #tagged(tag, branches) {
    const known = new Map();
    const others = [];
    let fallback, absent;
    for (const branch of branches) {
      const schema = branch.properties?.[tag] ?? {};
      if ("const" in schema) known.set(schema.const, branch);
      else if ("not" in branch) fallback = branch;
      else if (isNull(schema)) absent = branch;
      else others.push(branch);
    }
    const untagged = others.length ? this.#untagged(others) : null;
    const names = [...known.keys()];

    return (value) => {
      if (!isObject(value)) return this.#check({ type: "object" }, value);
      const is = Object.hasOwn(value, tag) ? value[tag] : undefined;
      if (typeof is === "string") {
        if (!known.has(is)) this.#noteTag(value, tag, is, names);
        const branch = known.get(is) ?? fallback;
        if (branch) {
          // `not` holds by itself when the tag is not a listed one.
          const errors = this.#check(branch, value, "not");
          return untagged && errors.length && !untagged(value).length ? [] : errors;
        }
      } else if (absent && (is === undefined || is === null)) return [];
      if (untagged) return untagged(value);
      if (is === undefined) {
        const some = names.slice(0, 4).join(", ") + (names.length > 4 ? ", …" : "");
        return [error("anyOf", `needs the field ${tag}, which says what it is (${some})`)];
      }
      return inside(
        typeof is === "string"
          ? [error("const", `has to be ${either(names.map(quoted))}`)]
          : this.#check({ type: "string" }, is),
        tag,
      );
    };
  }

  /** An unknown variant is the sender's own if its name begins with `_`; else it may be a slip. */
  #noteTag(object, tag, is, names) {
    if (is.startsWith("_")) return;
    const meant = closest(is, names);
    const hint = meant ? `; did you mean ${meant}?` : "";
    const text = `has ${quoted([...is].slice(0, 60).join(""))} as its ${tag}, which v2 does not know${hint}`;
    this.#tags.set(object, { name: is, text });
  }

  /** Branches told apart by the kind of value, or by the fields they need. */
  #untagged(branches) {
    return (value) => {
      const failures = [];
      for (const branch of branches) {
        const errors = this.#check(branch, value);
        if (!errors.length) {
          if (!("properties" in this.#resolved(branch))) this.#open.add(value);
          return [];
        }
        failures.push(errors);
      }
      const without = (keyword) => (errors) => !errors.some((e) => e.keyword === keyword && !e.path.length);
      const fitting = failures.filter(without("type"));
      const complete = fitting.filter(without("required"));
      if (!fitting.length) {
        const kinds = branches.map((b) => KINDS[[this.#resolved(b).type ?? "object"].flat()[0]]);
        return [error("anyOf", `has to be ${either([...new Set(kinds)])}, but is ${kindOf(value)}`)];
      }
      if (fitting.length > 1 && !complete.length) {
        return [error("anyOf", `needs the fields ${either(branches.map((b) => this.#required(b).join(" and ")))}`)];
      }
      return (complete.length ? complete : fitting).reduce((a, b) => (b.length < a.length ? b : a));
    };
  }

  #target(reference) {
    return this.#definitions[reference.slice(reference.lastIndexOf("/") + 1)];
  }

  #resolved(schema) {
    for (;;) {
      const reference = schema.$ref ?? schema.allOf?.[0].$ref;
      if (!reference) return schema;
      schema = this.#target(reference);
    }
  }

  #required(schema) {
    return this.#resolved(schema).required ?? [];
  }
}

export const pointer = (path) =>
  path.map((part) => "/" + String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("");

/** Every object inside a value, with its pointer. */
function* objects(value) {
  const waiting = [[[], value]];
  while (waiting.length) {
    const [path, item] = waiting.pop();
    if (isObject(item)) yield [pointer(path), item];
    if (item !== null && typeof item === "object") {
      for (const [key, inner] of Object.entries(item)) waiting.push([[...path, key], inner]);
    }
  }
}

const isNull = (schema) => schema.type === "null" && Object.keys(schema).length === 1;

/** The field whose constant tells the branches apart, if they have one. */
function tagOf(branches) {
  for (const branch of branches) {
    for (const [name, schema] of Object.entries(branch.properties ?? {})) {
      if ("const" in schema && branch.required?.includes(name)) return name;
    }
  }
  return null;
}

/** The innermost policy that covers an error decides what becomes of the value. */
function leniency(e, schema, value) {
  if (schema["x-deserialize-skip-invalid-items"] && e.path.length > 1) return "receivers drop this item";
  if (schema["x-deserialize-default-on-error"] || (schema["x-deserialize-default-on-null"] && value === null)) {
    return "receivers take the field as absent";
  }
  return null;
}
