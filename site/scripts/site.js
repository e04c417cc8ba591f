// What every page loads. The rest comes only where it is needed.

import { enhanceTables } from "./tables.js";

/**
 * Material (and zensical) take the global `mermaid` if there is one, and would fetch it from a CDN otherwise. This one
 * fetches our own copy when the first diagram is drawn.
 */
// Mermaid puts a diagram's id before the ids of its markers; Material's rules (9.8.2) look for the bare ids.
const MARKERS = `
  [id$="-arrowhead"] path, [id$="-filled-head"] path { fill: var(--md-mermaid-sequence-message-line-color); stroke: none; }
  [id$="-crosshead"] path { fill: none; stroke: var(--md-mermaid-sequence-message-line-color); }
  [id$="-sequencenumber"] { fill: var(--md-mermaid-sequence-number-bg-color) !important; }`;

let settings;
let loaded;
globalThis.mermaid = {
  initialize(config) {
    settings = { ...config, themeCSS: config.themeCSS + MARKERS };
  },
  async render(...args) {
    loaded ??= import("mermaid").then(({ default: mermaid }) => {
      mermaid.initialize(settings);
      return mermaid;
    });
    return (await loaded).render(...args);
  },
};

// For Material's search a minus in front of a word means "without it". Here it belongs to an error code: -32602.
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, ...options) {
  const isQuery = typeof message?.data === "string";
  const meant = isQuery ? { ...message, data: message.data.replace(/(^|\s)-(?=\d)/g, "$1") } : message;
  postMessage.call(this, meant, ...options);
};

/** What Material leaves without a name (axe: aria-dialog-name, landmark-unique). */
const NAMES = { ".md-search": "Search", ".md-tags": "Tags" };

function start() {
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const element of document.querySelectorAll(selector)) element.ariaLabel ??= name;
  }
  enhanceTables(document);
  const checker = document.querySelector("[data-checker]");
  if (checker && !checker.dataset.checker) {
    checker.dataset.checker = "loading";
    import("./checker.js").then(({ mount }) => mount(checker, new URL("../../", import.meta.url)));
  }
}

// Both themes tell of a new page this way, also when they exchange pages without loading them (navigation.instant).
globalThis.document$ ? document$.subscribe(start) : start();
