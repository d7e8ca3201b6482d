export { createAccountNames, type FindAccountNames, searchProtocols } from "./account-names.ts";
export { createFlushes, type Flushed, type Flushes, type FoundKeys, flushedAddress, flushStatus } from "./flushes.ts";
export { createScriptedNames, type FindScriptedNames } from "./scripted-names.ts";
