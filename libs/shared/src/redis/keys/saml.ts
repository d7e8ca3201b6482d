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
  samlSigningKeysKey,
  samlMetadataKey,
];
