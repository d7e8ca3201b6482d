import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "admin", role: "state" });

export { all as consoleKeyFamilies };

/** The session of one operator in the console with its last searches, encrypted. Each request prolongs it, up to eight hours in all. */
export const consoleSessionKey = key("console session", "string", 900, {
  template: "console:session:{<cookie digest>}",
  lost: "the operator signs in again",
});

/** A sign-in to the console that the identity provider has not answered yet, encrypted. */
export const consoleSignInKey = key("sign-in to the console", "string", 600, {
  template: "console:sign-in:{<cookie digest>}",
  lost: "the sign-in in progress starts over",
});

/** Digest of the code that vouches for the second factor of a new operator. Used once. */
export const consoleInvitationKey = key("invitation to the console", "string", 86_400, {
  template: "console:invitation:{<keyed digest of the account>}",
  lost: "the operator needs a new code",
});
