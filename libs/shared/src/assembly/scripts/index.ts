export { type MakeScriptPool, type ScriptParts, scriptPoolsFromConfig } from "./scripts-from-config.ts";
