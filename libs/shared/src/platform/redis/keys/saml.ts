import type { KeyFamily } from "./family.ts";

const daySeconds = 86_400;

/** A message that was accepted; a second use is rejected. */
export const samlReplayKey: KeyFamily<[digest: string]> = {
  name: "SAML message",
  owner: "idp",
  role: "state",
  type: "string",
  // Twice the clock tolerance, plus one minute.
  ttlSeconds: 420,
  lost: "a message of the last minutes is accepted again",
  parts: ["message digest"],
  build: (prefix, digest) => `${prefix}saml:message:{${digest}}`,
};

/** A verified sign-in request that waits for its user; encrypted. */
export const samlRequestKey: KeyFamily<[idDigest: string]> = {
  name: "SAML request",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 900,
  lost: "sign-ins in progress start over at the application",
  parts: ["request digest"],
  build: (prefix, idDigest) => `${prefix}saml:request:{${idDigest}}`,
};

/** A verified logout request that waits for the browser to send its cookies; encrypted. */
export const samlWaitingLogoutKey: KeyFamily<[idDigest: string]> = {
  name: "SAML logout request without a session",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 120,
  lost: "the user sees that the logout has expired, and repeats it at the application",
  parts: ["request digest"],
  build: (prefix, idDigest) => `${prefix}saml:leaving:{${idDigest}}`,
};

/** The service providers that a browser session has signed in to, by digest of the entity ID; encrypted. */
export const samlParticipantsKey: KeyFamily<[sessionUid: string]> = {
  name: "SAML participants",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 400 * daySeconds,
  lost: "service providers are not notified of the logout",
  parts: ["session"],
  build: (prefix, sessionUid) => `${prefix}saml:participants:{${sessionUid}}`,
};

/** The browser session of a session index that was sent to a service provider; encrypted. */
export const samlIndexKey: KeyFamily<[digest: string]> = {
  name: "SAML session index",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * daySeconds,
  lost: "a logout requested by a service provider is answered with an unknown principal",
  parts: ["index digest"],
  build: (prefix, digest) => `${prefix}saml:index:{${digest}}`,
};

/** A logout transaction through the browser: its plan, encrypted, and the answers so far. */
export const samlLogoutKey: KeyFamily<[idDigest: string]> = {
  name: "SAML logout",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 900,
  lost: "the page of a logout in progress reports that it has expired; the session has already ended",
  parts: ["logout digest"],
  build: (prefix, idDigest) => `${prefix}saml:logout:{${idDigest}}`,
};

/** A logout request that a service provider has not answered yet; encrypted. Its answer is accepted once. */
export const samlLogoutRequestKey: KeyFamily<[idDigest: string]> = {
  name: "SAML logout request",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 900,
  lost: "responses of service providers to logouts in progress are rejected",
  parts: ["message digest"],
  build: (prefix, idDigest) => `${prefix}saml:asked:{${idDigest}}`,
};

/** A logout message to a service provider over SOAP; encrypted. */
export const samlDeliveryKey: KeyFamily<[id: string]> = {
  name: "SAML logout message",
  owner: "idp",
  role: "state",
  type: "hash",
  // Delivery ends after a day; the rest is for the last attempt.
  ttlSeconds: daySeconds + 3600,
  lost: "service providers are not notified of recent logouts",
  parts: ["id"],
  build: (prefix, id) => `${prefix}saml:{logout-notices}:${id}`,
};

/** Times at which logout messages are due; a claimed one is due again after its lease. */
export const samlDeliveriesDueKey: KeyFamily<[]> = {
  name: "SAML logout messages due",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: daySeconds + 3600,
  lost: "service providers are not notified of recent logouts",
  parts: [],
  build: (prefix) => `${prefix}saml:{logout-notices}`,
};

/** The generated signing keys with their certificates, encrypted, all in one value that is replaced as a whole. */
export const samlSigningKeysKey: KeyFamily<[]> = {
  name: "SAML signing keys",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * daySeconds,
  lost: "a new key is generated, and service providers must import the metadata again",
  parts: [],
  build: (prefix) => `${prefix}saml:{signing-keys}`,
};

/** The last good metadata of service providers, by digest of the URL; compressed and encrypted. */
export const samlMetadataKey: KeyFamily<[urlDigest: string]> = {
  name: "SAML metadata copy",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 30 * daySeconds,
  lost: "a replica that starts while the source of the metadata is unavailable does not know these service providers",
  parts: ["URL digest"],
  build: (prefix, digest) => `${prefix}saml:metadata:{${digest}}`,
};

/** Keys of SAML. */
export const samlKeys: readonly KeyFamily<never[]>[] = [
  samlReplayKey,
  samlRequestKey,
  samlWaitingLogoutKey,
  samlParticipantsKey,
  samlIndexKey,
  samlLogoutKey,
  samlLogoutRequestKey,
  samlDeliveryKey,
  samlDeliveriesDueKey,
  samlSigningKeysKey,
  samlMetadataKey,
];
