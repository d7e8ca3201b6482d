export { createAccountNames, type FindAccountNames, searchProtocols } from "./account-names.ts";
export { flushedAddress } from "./flushed-address.ts";
export { createFlushes, type Flushed, type Flushes, type FoundKeys, flushStatus } from "./flushes.ts";
export { createSiteNames, type FindSiteNames } from "./site-names.ts";
