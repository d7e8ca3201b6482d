export { createAccountNames, type FindAccountNames, searchProtocols } from "./account-names.ts";
export {
  createFlushes,
  createScriptedNames,
  type Flushed,
  type Flushes,
  type FoundKeys,
  flushedAddress,
  flushStatus,
} from "./flushes.ts";
