// Whether a value is valid, by Ajv; why it is not, by ExplainingValidator, whose sentences follow the tags of unions.

import Ajv2020 from "ajv/dist/2020.js";
import { ExplainingValidator } from "./explaining_validator.js";

export class SchemaValidator {
  #ajv = new Ajv2020({ strict: false, validateFormats: false });
  #explainer;

  constructor(schema) {
    this.#ajv.addSchema(schema, "acp");
    this.#explainer = new ExplainingValidator(schema);
  }

  /** What is wrong with a value as a definition: {pointer, text, lenient}; pointers begin with `at`. */
  problems(definition, value, at = "") {
    // The explainer is asked in any case, because it gathers what `notes` tells of.
    const problems = this.#explainer.problems(definition, value, at);
    const isValid = this.#ajv.getSchema(`acp#/$defs/${definition}`);
    if (isValid(withNumbers(value))) return [];
    if (problems.length) return problems;
    const [{ instancePath, message }] = isValid.errors;
    return [{ pointer: at + instancePath, text: message, lenient: null }];
  }

  /** What the value that `problems` was called on last has that the schema allows but does not know. */
  notes(value, at = "") {
    return this.#explainer.notes(value, at);
  }
}

/** Integers beyond 2^53 are read as BigInt, which Ajv does not take for numbers. */
function withNumbers(value) {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withNumbers(item)]));
}
