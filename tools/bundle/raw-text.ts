import { readFileSync } from "node:fs";
import type { Plugin } from "rolldown";

/** What an import ends with that asks for the text of a file. */
const suffix = "?raw";
const isText = /\?raw$/;

/** `import text from "package/file.js?raw"` is the text of the file, as in the tests, which Vite runs. The text becomes part of the bundle. */
export function rawText(): Plugin {
  return {
    name: "postern-raw-text",
    resolveId: {
      filter: { id: isText },
      async handler(source, importer) {
        const found = await this.resolve(source.slice(0, -suffix.length), importer);
        return found === null ? null : `${found.id}${suffix}`;
      },
    },
    load: {
      filter: { id: isText },
      handler: (id) => {
        const text = readFileSync(id.slice(0, -suffix.length), "utf8");
        return { code: `export default ${JSON.stringify(text)};`, moduleType: "js", moduleSideEffects: false };
      },
    },
  };
}
