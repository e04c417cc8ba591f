// For each line of the input, which is {text, sender, method} or {definition, value}, a line of the output:
// what the site's checker says of the message, or whether Ajv and whether the explainer take the value for valid.

import { readFileSync } from "node:fs";
import Ajv2020 from "../../site/node_modules/ajv/dist/2020.js";
import { ExplainingValidator } from "../../site/scripts/explaining_validator.js";
import { MessageValidator } from "../../site/scripts/message_validator.js";
import { readJson, WireError } from "../../site/scripts/read_json.js";

const load = (name) => JSON.parse(readFileSync(new URL(`../../acp_v2/schema/${name}`, import.meta.url), "utf8"));
const schema = load("schema.unstable.json");
const validator = new MessageValidator(schema, load("methods.json"));
const explainer = new ExplainingValidator(schema);
const ajv = new Ajv2020.default({ strict: false, validateFormats: false }).addSchema(schema, "acp");

function verdict({ text, sender, method }) {
  try {
    return validator.check(readJson(text).value, { sender, method });
  } catch (e) {
    if (!(e instanceof WireError)) throw e;
    return { code: e.code, text: e.message };
  }
}

function validity({ definition, value }) {
  const isValid = ajv.getSchema(`acp#/$defs/${definition}`)(value);
  return { ajv: isValid, explainer: !explainer.problems(definition, value).length };
}

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const asked = JSON.parse(line);
  console.log(JSON.stringify("text" in asked ? verdict(asked) : validity(asked)));
}
