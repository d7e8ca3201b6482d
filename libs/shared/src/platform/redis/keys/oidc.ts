import type { KeyFamily } from "./family.ts";

const day = 86_400;
/** The longest life that the configuration allows to a refresh token. */
const longestRefreshSeconds = 3650 * day;

/** A record of the provider, under the SHA-256 of its identifier, which for tokens is the token itself. */
export const oidcRecordKey: KeyFamily<[model: string, digest: string]> = {
  name: "OIDC record",
  owner: "idp",
  role: "state",
  type: "string",
  // The longest lifetime, that of a refresh token; each record has its own.
  ttlSeconds: longestRefreshSeconds,
  lost: "tokens, codes, grants and requests in progress are lost; users sign in again",
  parts: ["model", "digest"],
  build: (prefix, model, digest) => `${prefix}oidc:record:${model}:{${digest}}`,
};

/** A record that may be used once: hash of value, time of use, elected successor. */
export const oidcOnceKey: KeyFamily<[model: string, digest: string]> = {
  name: "OIDC record used once",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: longestRefreshSeconds,
  lost: "codes and refresh tokens are lost; users sign in again",
  parts: ["model", "digest"],
  build: (prefix, model, digest) => `${prefix}oidc:once:${model}:{${digest}}`,
};

/** The records of an account, a client or a grant; a member's score is the time at which it expires. */
export const oidcIndexKey: KeyFamily<[kind: string, digest: string]> = {
  name: "OIDC index",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: longestRefreshSeconds,
  lost: "sessions are not listed, and revoking all tokens of an account misses older ones",
  parts: ["kind", "digest"],
  build: (prefix, kind, digest) => `${prefix}oidc:index:${kind}:{${digest}}`,
};

/** The response to the end of a sign-in or consent, so that a form that is sent twice leads to one code. */
export const oidcOutcomeKey: KeyFamily<[digest: string]> = {
  name: "OIDC outcome",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 10,
  lost: "a form that was sent twice shows that the page has expired",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:outcome:{${digest}}`,
};

/** From the digest of an account's name to its sealed subjects, where these are not the name itself. */
export const oidcSubjectsKey: KeyFamily<[digest: string]> = {
  name: "OIDC subjects",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: longestRefreshSeconds,
  lost: "requests that name an account do not find its tokens until its next sign-in",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:subjects:{${digest}}`,
};

/** From a user code to the device code that it stands for. */
export const oidcUserCodeKey: KeyFamily<[digest: string]> = {
  name: "OIDC user code",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: day,
  lost: "device sign-ins in progress start over",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:user-code:{${digest}}`,
};

/** Proofs and assertions already used, so that none is accepted twice. */
export const oidcReplayKey: KeyFamily<[digest: string]> = {
  name: "OIDC replay",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: day,
  lost: "a client's proof or assertion of the last minutes is accepted once more",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:replay:{${digest}}`,
};

/** The attributes that claims are made of, as returned by the backend at the last sign-in. */
export const oidcAccountKey: KeyFamily<[digest: string]> = {
  name: "OIDC account",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: longestRefreshSeconds,
  lost: "tokens of users are rejected until they sign in again",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:account:{${digest}}`,
};

/** A user's consent for a client. */
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

/** Time of a device's last poll, and how long it must wait. */
export const oidcPollKey: KeyFamily<[digest: string]> = {
  name: "OIDC poll",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: day,
  lost: "a device that polls too fast is not slowed down once",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:poll:{${digest}}`,
};

/** The generated signing keys, encrypted, all in one value that is replaced as a whole. */
export const oidcSigningKeysKey: KeyFamily<[]> = {
  name: "OIDC signing keys",
  owner: "idp",
  role: "state",
  type: "string",
  // Written again whenever the keys are read, so that it lives as long as a provider runs.
  ttlSeconds: 400 * day,
  lost: "new keys are generated; tokens signed with the old ones are rejected",
  parts: [],
  build: (prefix) => `${prefix}oidc:{signing-keys}`,
};

/** Held by the replica that generates new signing keys. */
export const oidcSigningLeaseKey: KeyFamily<[]> = {
  name: "OIDC signing lease",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 30,
  lost: "none: a write of the key set is compared with what was read",
  parts: [],
  build: (prefix) => `${prefix}oidc:{signing-keys}:lease`,
};

/** A logout message to a client, encrypted, with the attempts so far. */
export const oidcDeliveryKey: KeyFamily<[id: string]> = {
  name: "OIDC logout message",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: day,
  lost: "clients are not notified of recent logouts",
  parts: ["id"],
  build: (prefix, id) => `${prefix}oidc:{logout-notices}:${id}`,
};

/** Times at which logout messages are due; a claimed one is due again after its lease. */
export const oidcDeliveriesDueKey: KeyFamily<[]> = {
  name: "OIDC logout messages due",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: day,
  lost: "clients are not notified of recent logouts",
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
  lost: "guesses of user codes are counted from zero",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:guesses:{${digest}}`,
};

/** A client that registered itself, encrypted. It lives for as long as it is used. */
export const oidcRegisteredKey: KeyFamily<[digest: string]> = {
  name: "OIDC registered client",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: longestRefreshSeconds,
  lost: "registered clients register again, and their users sign in again",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:registered:{${digest}}`,
};

/** Identifiers of all registered clients, by the time (s) at which the registration ends. */
export const oidcRegisteredIndexKey: KeyFamily<[]> = {
  name: "OIDC registered clients",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: longestRefreshSeconds,
  lost: "registered clients are not listed and do not count towards the maximum",
  parts: [],
  build: (prefix) => `${prefix}oidc:{registrations}:all`,
};

/** The same for the clients of dynamic registration, which have a separate maximum. */
export const oidcDynamicIndexKey: KeyFamily<[]> = {
  name: "OIDC dynamically registered clients",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: longestRefreshSeconds,
  lost: "registered clients are not listed and do not count towards the maximum",
  parts: [],
  build: (prefix) => `${prefix}oidc:{registrations}:dynamic`,
};

/** Identifiers of the clients that one network registered and no user has signed in with, by the end of the registration (s). */
export const oidcPendingKey: KeyFamily<[digest: string]> = {
  name: "OIDC pending registrations",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: day,
  lost: "the pending registrations of a network are counted from zero",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:{registrations}:pending:${digest}`,
};

/** Registration requests of one network within a minute. */
export const oidcRegistrationRateKey: KeyFamily<[digest: string]> = {
  name: "OIDC registration requests",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 60,
  lost: "registration requests are counted from zero",
  parts: ["digest"],
  build: (prefix, digest) => `${prefix}oidc:registration-rate:{${digest}}`,
};

export const oidcKeyFamilies: readonly KeyFamily<never[]>[] = [
  oidcRecordKey,
  oidcOnceKey,
  oidcIndexKey,
  oidcOutcomeKey,
  oidcUserCodeKey,
  oidcSubjectsKey,
  oidcReplayKey,
  oidcAccountKey,
  oidcConsentKey,
  oidcPollKey,
  oidcSigningKeysKey,
  oidcSigningLeaseKey,
  oidcDeliveryKey,
  oidcDeliveriesDueKey,
  oidcGuessKey,
  oidcRegisteredKey,
  oidcRegisteredIndexKey,
  oidcDynamicIndexKey,
  oidcPendingKey,
  oidcRegistrationRateKey,
];
