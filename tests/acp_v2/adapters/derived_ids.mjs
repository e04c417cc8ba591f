// Message ids by RFC 9562 alone: the namespace as an argument, [[session, key], …] as input, the ids as output.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

function uuid5(namespace, name) {
  const bytes = createHash("sha1").update(namespace).update(name, "utf8").digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x50;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes;
}

const text = (bytes) => bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

const namespace = Buffer.from(process.argv[2].replaceAll("-", ""), "hex");
const pairs = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(pairs.map(([session, key]) => text(uuid5(uuid5(namespace, session), key)))));
