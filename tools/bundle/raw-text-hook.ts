import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

// Tools that run from source need this hook: `import text from "./file.lua?raw"` is the text of the file, as in the bundles and the tests.
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith("?raw")) return nextLoad(url, context);
    const text = readFileSync(new URL(url), "utf8");
    return { format: "module", shortCircuit: true, source: `export default ${JSON.stringify(text)};` };
  },
});
