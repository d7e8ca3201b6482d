import { readFileSync } from "node:fs";
import type { Plugin } from "rolldown";

/** What an import ends with that asks for the text of a file. */
const suffix = "?raw";

/** `import text from "package/file.js?raw"` is the text of the file, as in the tests, which Vite runs. The text becomes part of the bundle. */
export function rawText(): Plugin {
  return {
    name: "postern-raw-text",
    async resolveId(source, importer) {
      if (!source.endsWith(suffix)) return null;
      const found = await this.resolve(source.slice(0, -suffix.length), importer);
      return found === null ? null : `${found.id}${suffix}`;
    },
    load(id) {
      if (!id.endsWith(suffix)) return null;
      const text = readFileSync(id.slice(0, -suffix.length), "utf8");
      return { code: `export default ${JSON.stringify(text)};`, moduleType: "js", moduleSideEffects: false };
    },
  };
}
