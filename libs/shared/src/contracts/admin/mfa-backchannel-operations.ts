import type { TSchema } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation, type Operation } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
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
const common = { family, tag: "Second factors", audience: "management", security: "backchannel" } as const;
const mfaWrite = { ...common, anyScope: ["mfa_write", "admin"] } as const;
const webauthnRead = { ...common, anyScope: ["webauthn_read", "admin"] } as const;
const webauthnWrite = { ...common, anyScope: ["webauthn_write", "admin"] } as const;
const refused = errorAnswer(
  "A field is missing or invalid, the user or backend is unknown, or there was nothing to change.",
);
const answers: Operation["answers"] = {
  200: jsonAnswer("Done.", MfaBackchannelDone),
  400: refused,
  500: temporaryFailure,
};
const body = (schema: TSchema) => ({ body: { "application/json": schema } });
const totp = "/api/v1/mfa-backchannel/totp";
const recoveryCodes = `${totp}/recovery-codes`;
const credential = "/api/v1/mfa-backchannel/webauthn/credential";

export const mfaBackchannelOperations = [
  defineOperation({
    ...mfaWrite,
    method: "post",
    path: totp,
    operationId: "setTotpSecret",
    summary: "Replace the TOTP secret of a user",
    request: body(MfaBackchannelTotp),
    answers,
  }),
  defineOperation({
    ...mfaWrite,
    method: "delete",
    path: totp,
    operationId: "deleteTotpSecret",
    summary: "Delete the TOTP secret of a user",
    request: body(MfaBackchannelUser),
    answers,
  }),
  defineOperation({
    ...mfaWrite,
    method: "post",
    path: recoveryCodes,
    operationId: "setRecoveryCodes",
    summary: "Replace the recovery codes of a user",
    description: "Only hashes of the codes are stored, so they cannot be read again.",
    request: body(MfaBackchannelRecoveryCodes),
    answers,
  }),
  defineOperation({
    ...mfaWrite,
    method: "delete",
    path: recoveryCodes,
    operationId: "deleteRecoveryCodes",
    summary: "Delete the recovery codes of a user",
    request: body(MfaBackchannelUser),
    answers,
  }),
  defineOperation({
    ...common,
    anyScope: ["mfa_write", ...operatorScopes],
    method: "delete",
    path: "/api/v1/mfa-backchannel/lock",
    operationId: "unlockSecondFactors",
    summary: "Unlock the second factors of a user",
    description:
      "A second factor is locked after too many consecutive wrong codes, given after the correct password. This resets the user's counts to zero. A user without a lock is not an error.",
    request: body(MfaBackchannelUnlock),
    answers: {
      200: jsonAnswer("Done.", MfaBackchannelUnlocked),
      400: errorAnswer("`username` is missing or invalid."),
      500: temporaryFailure,
    },
  }),
  defineOperation({
    ...common,
    anyScope: ["mfa_write", ...operatorScopes],
    method: "get",
    path: "/api/v1/mfa-backchannel/factors",
    operationId: "listSecondFactors",
    summary: "List what second factors a user has",
    description: "Contains no secrets. Audited as account.read.",
    request: { query: MfaBackchannelUser },
    answers: { ...answers, 200: jsonAnswer("The factors.", MfaBackchannelFactors) },
  }),
  defineOperation({
    ...mfaWrite,
    method: "delete",
    path: "/api/v1/mfa-backchannel/webauthn/passkey",
    operationId: "deleteUserPasskey",
    summary: "Delete one passkey of a user by its id",
    description: "A user without a passkey of this id is not an error.",
    request: body(MfaBackchannelPasskey),
    answers,
  }),
  defineOperation({
    ...mfaWrite,
    method: "delete",
    path: "/api/v1/mfa-backchannel/app-password",
    operationId: "deleteUserAppPassword",
    summary: "Delete one app password of a user by its id",
    description: "A user without an app password of this id is not an error.",
    request: body(MfaBackchannelAppPassword),
    answers,
  }),
  defineOperation({
    ...webauthnRead,
    method: "get",
    path: credential,
    operationId: "listWebauthnCredentials",
    summary: "List the WebAuthn credentials of a user",
    request: { query: MfaBackchannelUser },
    answers: { ...answers, 200: jsonAnswer("The credentials.", MfaBackchannelCredentials) },
  }),
  defineOperation({
    ...webauthnWrite,
    method: "post",
    path: credential,
    operationId: "saveWebauthnCredential",
    summary: "Add a WebAuthn credential",
    request: body(MfaBackchannelCredential),
    answers,
  }),
  defineOperation({
    ...webauthnWrite,
    method: "put",
    path: credential,
    operationId: "updateWebauthnCredential",
    summary: "Replace a WebAuthn credential, if the old one is still stored",
    request: body(MfaBackchannelReplacement),
    answers,
  }),
  defineOperation({
    ...webauthnWrite,
    method: "delete",
    path: credential,
    operationId: "deleteWebauthnCredential",
    summary: "Delete a WebAuthn credential",
    request: body(MfaBackchannelCredential),
    answers,
  }),
];
