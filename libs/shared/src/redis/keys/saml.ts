import type { KeyFamily } from "./family.ts";

const daySeconds = 86_400;

/** A message that was taken; taken twice, it is refused. */
export const samlReplayKey: KeyFamily<[digest: string]> = {
  name: "SAML message",
  owner: "idp",
  role: "state",
  type: "string",
  // Twice the tolerance of clocks, and a minute.
  ttlSeconds: 420,
  lost: "a message of the last minutes can be used again",
  parts: ["message digest"],
  build: (prefix, digest) => `${prefix}saml:message:{${digest}}`,
};

/** A sign-in request that was verified and waits for its user; sealed. */
export const samlRequestKey: KeyFamily<[idDigest: string]> = {
  name: "SAML request",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 900,
  lost: "sign-ins under way begin again at the application",
  parts: ["request digest"],
  build: (prefix, idDigest) => `${prefix}saml:request:{${idDigest}}`,
};

/** The service providers that a browser session has signed in to: by entity ID's digest, sealed. */
export const samlParticipantsKey: KeyFamily<[sessionUid: string]> = {
  name: "SAML participants",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 400 * daySeconds,
  lost: "service providers are not told of the logout",
  parts: ["session"],
  build: (prefix, sessionUid) => `${prefix}saml:participants:{${sessionUid}}`,
};

/** The browser session of a session index that a service provider was given; sealed. */
export const samlIndexKey: KeyFamily<[digest: string]> = {
  name: "SAML session index",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * daySeconds,
  lost: "a logout that a service provider asks for is answered with an unknown principal",
  parts: ["index digest"],
  build: (prefix, digest) => `${prefix}saml:index:{${digest}}`,
};

/** A logout that service providers are told of through the browser: its plan, sealed, and who has answered what. */
export const samlLogoutKey: KeyFamily<[idDigest: string]> = {
  name: "SAML logout",
  owner: "idp",
  role: "state",
  type: "hash",
  ttlSeconds: 900,
  lost: "the page of a logout under way says that it is over; the session has ended already",
  parts: ["logout digest"],
  build: (prefix, idDigest) => `${prefix}saml:logout:{${idDigest}}`,
};

/** A logout request of ours that a service provider has not answered yet; sealed. Its answer is taken once. */
export const samlAskedKey: KeyFamily<[idDigest: string]> = {
  name: "SAML logout request",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 900,
  lost: "answers of service providers to logouts under way are refused",
  parts: ["message digest"],
  build: (prefix, idDigest) => `${prefix}saml:asked:{${idDigest}}`,
};

/** A logout that a service provider must hear of by SOAP; sealed. */
export const samlNoticeKey: KeyFamily<[id: string]> = {
  name: "SAML logout notice",
  owner: "idp",
  role: "state",
  type: "hash",
  // A notice is given up after a day; what follows is for the last attempt.
  ttlSeconds: daySeconds + 3600,
  lost: "service providers do not hear of logouts of the last minutes",
  parts: ["id"],
  build: (prefix, id) => `${prefix}saml:{logout-notices}:${id}`,
};

/** Which notices are due when; a claimed one is due again after its lease. */
export const samlNoticesDueKey: KeyFamily<[]> = {
  name: "SAML logout notices due",
  owner: "idp",
  role: "state",
  type: "zset",
  ttlSeconds: daySeconds + 3600,
  lost: "service providers do not hear of logouts of the last minutes",
  parts: [],
  build: (prefix) => `${prefix}saml:{logout-notices}`,
};

/** The made signing keys with their certificates, sealed, all in one value that is replaced as a whole. */
export const samlSigningKeysKey: KeyFamily<[]> = {
  name: "SAML signing keys",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 400 * daySeconds,
  lost: "a new key is made, and service providers need the metadata anew",
  parts: [],
  build: (prefix) => `${prefix}saml:{signing-keys}`,
};

/** The last good metadata of service providers, by the URL's digest; packed and sealed. */
export const samlMetadataKey: KeyFamily<[urlDigest: string]> = {
  name: "SAML metadata copy",
  owner: "idp",
  role: "state",
  type: "string",
  ttlSeconds: 30 * daySeconds,
  lost: "a replica that starts while the metadata's source is away does not know its service providers",
  parts: ["URL digest"],
  build: (prefix, digest) => `${prefix}saml:metadata:{${digest}}`,
};

/** Keys of SAML. */
export const samlKeys: readonly KeyFamily<never[]>[] = [
  samlReplayKey,
  samlRequestKey,
  samlParticipantsKey,
  samlIndexKey,
  samlLogoutKey,
  samlAskedKey,
  samlNoticeKey,
  samlNoticesDueKey,
  samlSigningKeysKey,
  samlMetadataKey,
];
