import type { KeyFamily } from "./family.ts";

const day = 86_400;
/** The longest life that the configuration allows to a refresh token. */
const longestRefreshSeconds = 3650 * day;

/** What the provider stores of one kind, under the SHA-256 of its identifier, which for tokens is the token itself. */
export const oidcRecordKey: KeyFamily<[model: string, digest: string]> = {
  name: "OIDC record",
  owner: "idp",
  role: "state",
  type: "string",
  // The longest, of a refresh token; each has its own.
  ttlSeconds: longestRefreshSeconds,
  lost: "tokens, codes, grants and requests under way: users sign in again",
  parts: ["model", "digest"],
  build: (prefix, model, digest) => `${prefix}oidc:record:${model}:{${digest}}`,
};

/** What may be used once: hash of value, time of use, elected successor. */
export const oidcOnceKey: KeyFamily<[model: string, digest: string]> = {
  name: "OIDC record used once",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: longestRefreshSeconds,
  lost: "codes and refresh tokens: users sign in again",
  parts: ["model", "digest"],
  build: (prefix, model, digest) => `${prefix}oidc:once:${model}:{${digest}}`,
};

/** Which records belong to an account, a client or a grant; a member's score is the time at which it ends. */
export const oidcIndexKey: KeyFamily<[kind: string, digest: string]> = {
  name: "OIDC index",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: longestRefreshSeconds,
  lost: "the list of sessions; what is revoked as a whole misses older tokens",
  parts: ["kind", "digest"],
  build: (prefix, kind, digest) => `${prefix}oidc:index:${kind}:{${digest}}`,
};

/** From a user code to the device code that it stands for. */
export const oidcUserCodeKey: KeyFamily<[digest: string]> = {
  name: "OIDC user code",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: day,
  lost: "device sign-ins under way begin again",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:user-code:{${digest}}`,
};

/** Proofs and assertions that were seen, so that none counts twice. */
export const oidcReplayKey: KeyFamily<[digest: string]> = {
  name: "OIDC replay",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: day,
  lost: "a client's proof of the last minutes counts once more",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:replay:{${digest}}`,
};

/** What claims are made of, as the directory told it at the last sign-in. */
export const oidcAccountKey: KeyFamily<[digest: string]> = {
  name: "OIDC account",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: longestRefreshSeconds,
  lost: "users' tokens are refused until they sign in again",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:account:{${digest}}`,
};

/** What a user has agreed to for a client. */
export const oidcConsentKey: KeyFamily<[digest: string]> = {
  name: "OIDC consent",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: longestRefreshSeconds,
  lost: "users are asked for consent again",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:consent:{${digest}}`,
};

/** When a device asked last, and how long it must wait. */
export const oidcPollKey: KeyFamily<[digest: string]> = {
  name: "OIDC poll",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: day,
  lost: "a hasty device is not slowed down once",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:poll:{${digest}}`,
};

/** The generated signing keys, sealed, all in one value that is replaced as a whole. */
export const oidcSigningKeysKey: KeyFamily<[]> = {
  name: "OIDC signing keys",
  owner: "idp",
  role: "state",
  type: "string",
  // Written anew at each look, so it lives as long as any provider does.
  ttlSeconds: 400 * day,
  lost: "new keys are made; signed tokens of before are refused",
  parts: [],
  build: (prefix) => `${prefix}oidc:{signing-keys}`,
};

/** Held by the replica that makes new signing keys. */
export const oidcSigningLeaseKey: KeyFamily<[]> = {
  name: "OIDC signing lease",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 30,
  lost: "nothing: writes of the key set are compared with what was read",
  parts: [],
  build: (prefix) => `${prefix}oidc:{signing-keys}:lease`,
};

/** A client that must be told of a logout, sealed, with the attempts so far. */
export const oidcNoticeKey: KeyFamily<[id: string]> = {
  name: "OIDC logout notice",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: day,
  lost: "clients do not hear of logouts of the last minutes",
  parts: ["id"],
  build: (prefix, id) => `${prefix}oidc:{logout-notices}:${id}`,
};

/** Which notices are due when; a claimed one is due again after its lease. */
export const oidcNoticesDueKey: KeyFamily<[]> = {
  name: "OIDC logout notices due",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: day,
  lost: "clients do not hear of logouts of the last minutes",
  parts: [],
  build: (prefix) => `${prefix}oidc:{logout-notices}`,
};

/** Guesses of user codes, by browser or address. */
export const oidcGuessKey: KeyFamily<[digest: string]> = {
  name: "OIDC user code guesses",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "who guesses user codes may begin again",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:guesses:{${digest}}`,
};

export const oidcKeyFamilies: readonly KeyFamily<never[]>[] = [
  oidcRecordKey,
  oidcOnceKey,
  oidcIndexKey,
  oidcUserCodeKey,
  oidcReplayKey,
  oidcAccountKey,
  oidcConsentKey,
  oidcPollKey,
  oidcSigningKeysKey,
  oidcSigningLeaseKey,
  oidcNoticeKey,
  oidcNoticesDueKey,
  oidcGuessKey,
];
