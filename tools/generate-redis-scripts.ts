import { join } from "node:path";
import { scriptModules } from "./redis-scripts/script-modules.ts";
import { generate } from "./write-or-check.ts";

generate(scriptModules(join(import.meta.dirname, "..")));
