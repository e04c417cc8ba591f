// Which words the search of a built site loses, or takes for words that are there and are not.
//
// node search_words.mjs WORKER.js

import fs from "node:fs";
import vm from "node:vm";

const worker = { addEventListener() {}, console };
worker.self = worker;
vm.runInNewContext(fs.readFileSync(process.argv[2], "utf8"), worker);

let state = 7;
const below = (n) => {
  state = (state * 48271) % 2147483647;
  return Math.floor((state / 2147483647) * n);
};

// What hexadecimal numbers have in common with the words of a protocol is that letters and digits mix.
const wordLike = () => Array.from({ length: 1 + below(7) }, () => below(16).toString(16)).join("");
const wrong = [];
for (let round = 0; round < 10; round++) {
  const words = new Set(Array.from({ length: 3000 + below(5000) }, wordLike));
  worker.lunr.TokenSet._nextId = 1; // as in a page of its own
  const found = new Set(worker.lunr.TokenSet.fromArray([...words].sort()).toArray());
  wrong.push(...[...words].filter((w) => !found.has(w)), ...[...found].filter((w) => !words.has(w)));
}
console.log(JSON.stringify(wrong));
