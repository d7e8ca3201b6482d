export { createAccountNames, type FindAccountNames, searchProtocols } from "./account-names.ts";
export {
  createFlushes,
  createScriptedNames,
  type FindScriptedNames,
  type Flushed,
  type Flushes,
  type FoundKeys,
  flushedAddress,
  flushStatus,
} from "./flushes.ts";
