import type { KeyFamily } from "./family.ts";

const daySeconds = 86_400;

/** One sign-in of one browser: its record, sealed; its version; when it was used last. Idle ones go earlier. */
export const sessionKey: KeyFamily<[uid: string]> = {
  name: "browser session",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 400 * daySeconds,
  lost: "its user signs in again",
  parts: ["session"],
  build: (prefix, uid) => `${prefix}session:{${uid}}`,
};

/** Which session a cookie value stands for. */
export const sessionIdKey: KeyFamily<[sidDigest: string]> = {
  name: "session cookie",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * daySeconds,
  lost: "the browser that has this cookie signs in again",
  parts: ["cookie digest"],
  build: (prefix, sidDigest) => `${prefix}session:id:{${sidDigest}}`,
};

/** The sessions of an account, by their end. */
export const accountSessionsKey: KeyFamily<[accountDigest: string]> = {
  name: "sessions of an account",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: 400 * daySeconds,
  lost: "sessions of the account are not listed, nor ended with the others",
  parts: ["account digest"],
  build: (prefix, accountDigest) => `${prefix}session:account:{${accountDigest}}`,
};

/** One errand of one browser tab: its record, sealed; its version. */
export const flowKey: KeyFamily<[idDigest: string]> = {
  name: "flow",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 3600,
  lost: "the sign-in under way begins again at the application",
  parts: ["flow digest"],
  build: (prefix, idDigest) => `${prefix}flow:{${idDigest}}`,
};

/** The flow that a browser began last, for a page that is opened without its flow; sealed. */
export const latestFlowKey: KeyFamily<[browserDigest: string]> = {
  name: "latest flow",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 3600,
  lost: "a page that is opened without its flow says that it has expired",
  parts: ["browser digest"],
  build: (prefix, browserDigest) => `${prefix}flow:latest:{${browserDigest}}`,
};

/** Attempts at the second factor of an account. */
export const factorAttemptsKey: KeyFamily<[accountDigest: string]> = {
  name: "factor attempts",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "the account's attempts at a second factor are counted from zero",
  parts: ["account digest"],
  build: (prefix, accountDigest) => `${prefix}factor:attempts:{${accountDigest}}`,
};

/** A time step whose code an account has used. */
export const usedTotpStepKey: KeyFamily<[accountDigest: string, step: string]> = {
  name: "used TOTP step",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "a code that was used within its last minutes can be used again",
  parts: ["account digest", "time step"],
  build: (prefix, accountDigest, step) => `${prefix}factor:totp:{${accountDigest}}:${step}`,
};

/** What one browser was given to answer: a challenge, a secret that is being set up; sealed, used once. */
export const pendingProofKey: KeyFamily<[kind: string, ownerDigest: string]> = {
  name: "pending proof",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "a factor that is being set up or shown begins again",
  parts: ["kind", "digest of its session or flow"],
  build: (prefix, kind, ownerDigest) => `${prefix}factor:pending:${kind}:{${ownerDigest}}`,
};

/** Browsers that have signed in to an account, by their last use: at most 32. */
export const knownDevicesKey: KeyFamily<[accountDigest: string]> = {
  name: "known devices",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: 400 * daySeconds,
  lost: "the account's next sign-in in each browser is told as one from a new device",
  parts: ["account digest"],
  build: (prefix, accountDigest) => `${prefix}device:known:{${accountDigest}}`,
};

/** Keys of browsers that sign in. */
export const browserKeys: readonly KeyFamily<never[]>[] = [
  sessionKey,
  sessionIdKey,
  accountSessionsKey,
  flowKey,
  latestFlowKey,
  factorAttemptsKey,
  usedTotpStepKey,
  pendingProofKey,
  knownDevicesKey,
];
