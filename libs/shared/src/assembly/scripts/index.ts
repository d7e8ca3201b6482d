export { type MakeScriptPool, scriptPoolsFromConfig } from "./scripts-from-config.ts";
