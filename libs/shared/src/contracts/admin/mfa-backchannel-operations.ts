import { backchannel, errorAnswer, jsonAnswer, jsonBody, temporaryFailure } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes, type ScopeWord } from "../operations/route-family.ts";
import {
  MfaBackchannelAppPassword,
  MfaBackchannelCredential,
  MfaBackchannelCredentials,
  MfaBackchannelDone,
  MfaBackchannelFactors,
  MfaBackchannelPasskey,
  MfaBackchannelRecoveryCodes,
  MfaBackchannelReplacement,
  MfaBackchannelTotp,
  MfaBackchannelUnlock,
  MfaBackchannelUnlocked,
  MfaBackchannelUser,
} from "./mfa-backchannel.ts";

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
const done = { 200: jsonAnswer("Done.", MfaBackchannelDone) };
const scoped = (...anyScope: readonly ScopeWord[]) =>
  operationsWith({
    ...backchannel(family, "Second factors"),
    anyScope,
    answers: { 400: refused, 500: temporaryFailure },
  });
const mfaWrite = scoped("mfa_write", "admin");
const operators = scoped("mfa_write", ...operatorScopes);
const webauthnRead = scoped("webauthn_read", "admin");
const webauthnWrite = scoped("webauthn_write", "admin");
const totp = "/api/v1/mfa-backchannel/totp";
const recoveryCodes = `${totp}/recovery-codes`;
const credential = "/api/v1/mfa-backchannel/webauthn/credential";

export const mfaBackchannelOperations = [
  mfaWrite("post", totp, "setTotpSecret", {
    summary: "Replace the TOTP secret of a user",
    request: jsonBody(MfaBackchannelTotp),
    answers: done,
  }),
  mfaWrite("delete", totp, "deleteTotpSecret", {
    summary: "Delete the TOTP secret of a user",
    request: jsonBody(MfaBackchannelUser),
    answers: done,
  }),
  mfaWrite("post", recoveryCodes, "setRecoveryCodes", {
    summary: "Replace the recovery codes of a user",
    description: "Only hashes of the codes are stored, so they cannot be read again.",
    request: jsonBody(MfaBackchannelRecoveryCodes),
    answers: done,
  }),
  mfaWrite("delete", recoveryCodes, "deleteRecoveryCodes", {
    summary: "Delete the recovery codes of a user",
    request: jsonBody(MfaBackchannelUser),
    answers: done,
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
    summary: "List what second factors a user has",
    description: "Contains no secrets. Audited as account.read.",
    request: { query: MfaBackchannelUser },
    answers: { 200: jsonAnswer("The factors.", MfaBackchannelFactors) },
  }),
  mfaWrite("delete", "/api/v1/mfa-backchannel/webauthn/passkey", "deleteUserPasskey", {
    summary: "Delete one passkey of a user by its id",
    description: "A user without a passkey of this id is not an error.",
    request: jsonBody(MfaBackchannelPasskey),
    answers: done,
  }),
  mfaWrite("delete", "/api/v1/mfa-backchannel/app-password", "deleteUserAppPassword", {
    summary: "Delete one app password of a user by its id",
    description: "A user without an app password of this id is not an error.",
    request: jsonBody(MfaBackchannelAppPassword),
    answers: done,
  }),
  webauthnRead("get", credential, "listWebauthnCredentials", {
    summary: "List the WebAuthn credentials of a user",
    request: { query: MfaBackchannelUser },
    answers: { 200: jsonAnswer("The credentials.", MfaBackchannelCredentials) },
  }),
  webauthnWrite("post", credential, "saveWebauthnCredential", {
    summary: "Add a WebAuthn credential",
    request: jsonBody(MfaBackchannelCredential),
    answers: done,
  }),
  webauthnWrite("put", credential, "updateWebauthnCredential", {
    summary: "Replace a WebAuthn credential, if the old one is still stored",
    request: jsonBody(MfaBackchannelReplacement),
    answers: done,
  }),
  webauthnWrite("delete", credential, "deleteWebauthnCredential", {
    summary: "Delete a WebAuthn credential",
    request: jsonBody(MfaBackchannelCredential),
    answers: done,
  }),
];
