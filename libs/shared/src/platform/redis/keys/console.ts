import type { KeyFamily } from "./family.ts";

/** The session of one operator in the console, encrypted. Each request prolongs it, up to eight hours in all. */
export const consoleSessionKey: KeyFamily<[cookieDigest: string]> = {
  name: "console session",
  owner: "admin",
  role: "state",
  type: "string",
  ttlSeconds: 900,
  lost: "the operator signs in again",
  parts: ["cookie digest"],
  build: (prefix, cookieDigest) => `${prefix}console:session:{${cookieDigest}}`,
};

/** A sign-in to the console that the identity provider has not answered yet, encrypted. */
export const consoleSignInKey: KeyFamily<[cookieDigest: string]> = {
  name: "sign-in to the console",
  owner: "admin",
  role: "state",
  type: "string",
  ttlSeconds: 600,
  lost: "the sign-in in progress starts over",
  parts: ["cookie digest"],
  build: (prefix, cookieDigest) => `${prefix}console:sign-in:{${cookieDigest}}`,
};

/** Digest of the code that vouches for the second factor of a new operator. Used once. */
export const consoleInvitationKey: KeyFamily<[accountDigest: string]> = {
  name: "invitation to the console",
  owner: "admin",
  role: "state",
  type: "string",
  ttlSeconds: 86_400,
  lost: "the operator needs a new code",
  parts: ["keyed digest of the account"],
  build: (prefix, accountDigest) => `${prefix}console:invitation:{${accountDigest}}`,
};

export const consoleKeyFamilies: readonly KeyFamily<never[]>[] = [
  consoleSessionKey,
  consoleSignInKey,
  consoleInvitationKey,
];
