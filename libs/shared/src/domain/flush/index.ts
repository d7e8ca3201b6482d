export { createAccountNames, type FindAccountNames, searchProtocols } from "./account-names.ts";
export { flushedAddress } from "./flushed-address.ts";
export { createFlushes, type Flushed, type Flushes, type FoundKeys, flushStatus } from "./flushes.ts";
export { createScriptedNames, type FindScriptedNames } from "./scripted-names.ts";
