// Makes what the pages load: our scripts with Ajv and Mermaid, and the fonts. `make site` and `make serve` run it.
// It writes docs/assets/built, which is neither committed nor part of what the registry generates.

import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const here = import.meta.dirname;
const target = join(here, "docs/assets/built");
const require = createRequire(import.meta.url);

/** Latin faces of a variable font as @font-face rules; the files are copied beside. */
function font(name) {
  const folder = dirname(require.resolve(`@fontsource-variable/${name}/package.json`));
  copyFileSync(join(folder, "LICENSE"), join(target, `fonts/${name}-LICENSE.txt`));
  const styles = ["wght", "wght-italic"].map((file) => readFileSync(join(folder, `${file}.css`), "utf8")).join("\n");
  const faces = [...styles.matchAll(/@font-face \{.*?url\(\.\/files\/(.*?)\).*?\}/gs)];
  return faces.filter(([, file]) => /-latin-(ext-)?wght-/.test(file)).map(([face, file]) => {
    copyFileSync(join(folder, "files", file), join(target, "fonts", file));
    return face.replace("./files/", "fonts/").replace("woff2-variations", "woff2");
  });
}

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, "fonts"), { recursive: true });
await build({
  entryPoints: [join(here, "scripts/site.js")],
  outdir: target,
  bundle: true,
  splitting: true,
  format: "esm",
  minify: true,
  target: "es2023",
  legalComments: "external",
  chunkNames: "chunks/[name]-[hash]",
});
const faces = ["inter", "jetbrains-mono"].flatMap(font);
const names = ':root {\n  --md-text-font: "Inter Variable";\n  --md-code-font: "JetBrains Mono Variable";\n}\n';
writeFileSync(join(target, "fonts.css"), `${faces.join("\n")}\n${names}`);
