import { type Static, Type } from "typebox";
import { maxRecoveryCodes } from "../mfa/methods.ts";
import { backchannel, errorAnswer, jsonAnswer, jsonBody, temporaryFailure } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes, type ScopeWord } from "../operations/route-family.ts";
import { component, count, flag, object, optionalText, text } from "../schema.ts";

/** Members that every operation on second factors has. */
const target = {
  username: Type.String({ minLength: 1, maxLength: 1024 }),
  backend: optionalText("Kind of backend: ldap, sql or lua. If empty, the backend that holds the account.", {
    maxLength: 256,
  }),
  backend_name: optionalText("Name of the backend within its kind. If empty, any.", { maxLength: 256 }),
};

const credential = text("A JSON object as text.", { minLength: 2, maxLength: 16_384 });

export const MfaBackchannelUser = component("MfaBackchannelUser", target);
export type MfaBackchannelUser = Static<typeof MfaBackchannelUser>;

export const MfaBackchannelTotp = component("MfaBackchannelTotp", {
  ...target,
  totp_secret: text("Base32, or an otpauth URL.", { minLength: 1, maxLength: 2048 }),
});

export const MfaBackchannelRecoveryCodes = component("MfaBackchannelRecoveryCodes", {
  ...target,
  codes: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: maxRecoveryCodes }),
});

export const MfaBackchannelCredential = component("MfaBackchannelCredential", { ...target, credential });

/** One passkey, by the `id` of its credential. */
export const MfaBackchannelPasskey = component("MfaBackchannelPasskey", {
  ...target,
  id: text("`id` of the credential.", { minLength: 1, maxLength: 2048 }),
});

export const MfaBackchannelAppPassword = component("MfaBackchannelAppPassword", {
  ...target,
  id: Type.String({ pattern: "^[0-9a-f]{16}$" }),
});

/** `credential` replaces `old_credential` only if that is still stored, byte for byte. */
export const MfaBackchannelReplacement = component("MfaBackchannelReplacement", {
  ...target,
  credential,
  old_credential: credential,
});

export const MfaBackchannelDone = component("MfaBackchannelDone", { status: Type.Literal("ok") });

export const MfaBackchannelUnlock = component("MfaBackchannelUnlock", { username: target.username });

const wrongCodes = Type.Optional(Type.Integer({ minimum: 1 }));

export const MfaBackchannelUnlocked = component("MfaBackchannelUnlocked", {
  status: Type.Literal("ok"),
  wrong_codes: object("Number of consecutive wrong codes before the reset, for each factor that had any.", {
    totp: wrongCodes,
    recovery: wrongCodes,
  }),
});
export type MfaBackchannelUnlocked = Static<typeof MfaBackchannelUnlocked>;

/** Each credential exactly as stored. */
export const MfaBackchannelCredentials = component("MfaBackchannelCredentials", {
  credentials: Type.Array(Type.String()),
});

/** What second factors a user has; no secrets. */
export const MfaBackchannelFactors = component("MfaBackchannelFactors", {
  account: text("Name of the account in its backend."),
  totp: flag("Whether there is a TOTP secret."),
  recovery_codes_left: Type.Integer({ minimum: 0 }),
  passkeys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: text("Name that the user gave it; empty if none."),
    }),
  ),
  app_passwords: count("Number of app passwords."),
});
export type MfaBackchannelFactors = Static<typeof MfaBackchannelFactors>;

/** Each operation has its own scopes; all other paths below the prefix are for administrators. */
const family = defineFamily({
  name: "second factors",
  prefix: "/api/v1/mfa-backchannel",
  owner: "admin",
  channel: "back",
});
const refused = errorAnswer(
  "A field is missing or invalid, the user or backend is unknown, or there was nothing to change.",
);
const inQuery = { of: "account", in: "query", member: "username" } as const;
const scoped = (...anyScope: readonly ScopeWord[]) =>
  operationsWith({
    ...backchannel(family, "Second factors"),
    concerns: { of: "account", in: "body", member: "username" },
    anyScope,
    answers: { 200: jsonAnswer("Done.", MfaBackchannelDone), 400: refused, 500: temporaryFailure },
  });
const mfaWrite = scoped("mfa_write", "admin");
const operators = scoped("mfa_write", ...operatorScopes);
const webauthnRead = scoped("webauthn_read", "admin");
const webauthnWrite = scoped("webauthn_write", "admin");
const totp = "/api/v1/mfa-backchannel/totp";
const recoveryCodes = `${totp}/recovery-codes`;
const credentialPath = "/api/v1/mfa-backchannel/webauthn/credential";

export const mfaBackchannelOperations = [
  mfaWrite("post", totp, "setTotpSecret", {
    summary: "Replace the TOTP secret of a user",
    request: jsonBody(MfaBackchannelTotp),
  }),
  mfaWrite("delete", totp, "deleteTotpSecret", {
    summary: "Delete the TOTP secret of a user",
    request: jsonBody(MfaBackchannelUser),
  }),
  mfaWrite("post", recoveryCodes, "setRecoveryCodes", {
    summary: "Replace the recovery codes of a user",
    description: "Only hashes of the codes are stored, so they cannot be read again.",
    request: jsonBody(MfaBackchannelRecoveryCodes),
  }),
  mfaWrite("delete", recoveryCodes, "deleteRecoveryCodes", {
    summary: "Delete the recovery codes of a user",
    request: jsonBody(MfaBackchannelUser),
  }),
  operators("delete", "/api/v1/mfa-backchannel/lock", "unlockSecondFactors", {
    summary: "Unlock the second factors of a user",
    description:
      "A second factor is locked after too many consecutive wrong codes, given after the correct password. This resets the user's counts to zero. A user without a lock is not an error.",
    request: jsonBody(MfaBackchannelUnlock),
    answers: {
      200: jsonAnswer("Done.", MfaBackchannelUnlocked),
      400: errorAnswer("`username` is missing or invalid."),
    },
  }),
  operators("get", "/api/v1/mfa-backchannel/factors", "listSecondFactors", {
    concerns: inQuery,
    summary: "List what second factors a user has",
    description: "Contains no secrets. Audited as account.read.",
    request: { query: MfaBackchannelUser },
    answers: { 200: jsonAnswer("The factors.", MfaBackchannelFactors) },
  }),
  mfaWrite("delete", "/api/v1/mfa-backchannel/webauthn/passkey", "deleteUserPasskey", {
    summary: "Delete one passkey of a user by its id",
    description: "A user without a passkey of this id is not an error.",
    request: jsonBody(MfaBackchannelPasskey),
  }),
  mfaWrite("delete", "/api/v1/mfa-backchannel/app-password", "deleteUserAppPassword", {
    summary: "Delete one app password of a user by its id",
    description: "A user without an app password of this id is not an error.",
    request: jsonBody(MfaBackchannelAppPassword),
  }),
  webauthnRead("get", credentialPath, "listWebauthnCredentials", {
    concerns: inQuery,
    summary: "List the WebAuthn credentials of a user",
    request: { query: MfaBackchannelUser },
    answers: { 200: jsonAnswer("The credentials.", MfaBackchannelCredentials) },
  }),
  webauthnWrite("post", credentialPath, "saveWebauthnCredential", {
    summary: "Add a WebAuthn credential",
    request: jsonBody(MfaBackchannelCredential),
  }),
  webauthnWrite("put", credentialPath, "updateWebauthnCredential", {
    summary: "Replace a WebAuthn credential, if the old one is still stored",
    request: jsonBody(MfaBackchannelReplacement),
  }),
  webauthnWrite("delete", credentialPath, "deleteWebauthnCredential", {
    summary: "Delete a WebAuthn credential",
    request: jsonBody(MfaBackchannelCredential),
  }),
];
