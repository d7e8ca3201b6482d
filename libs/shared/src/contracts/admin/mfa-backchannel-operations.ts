import type { TSchema } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../openapi/answers.ts";
import { defineOperation, type Operation } from "../openapi/define-operation.ts";
import {
  MfaBackchannelCredential,
  MfaBackchannelCredentials,
  MfaBackchannelDone,
  MfaBackchannelRecoveryCodes,
  MfaBackchannelReplacement,
  MfaBackchannelTotp,
  MfaBackchannelUser,
} from "./mfa-backchannel.ts";

const common = { tag: "Second factors", audience: "management", security: "backchannel" } as const;
const refused = errorAnswer(
  "A field is missing or no such value, the user or backend is unknown, or nothing was to change.",
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

export const mfaBackchannelOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "post",
    path: totp,
    operationId: "setTotpSecret",
    summary: "Replaces the TOTP secret of a user",
    request: body(MfaBackchannelTotp),
    answers,
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: totp,
    operationId: "deleteTotpSecret",
    summary: "Deletes the TOTP secret of a user",
    request: body(MfaBackchannelUser),
    answers,
  }),
  defineOperation({
    ...common,
    method: "post",
    path: recoveryCodes,
    operationId: "setRecoveryCodes",
    summary: "Replaces the recovery codes of a user",
    description: "They are stored as hashes: nobody reads them again.",
    request: body(MfaBackchannelRecoveryCodes),
    answers,
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: recoveryCodes,
    operationId: "deleteRecoveryCodes",
    summary: "Deletes the recovery codes of a user",
    request: body(MfaBackchannelUser),
    answers,
  }),
  defineOperation({
    ...common,
    method: "get",
    path: credential,
    operationId: "listWebauthnCredentials",
    summary: "The WebAuthn credentials of a user",
    request: { query: MfaBackchannelUser },
    answers: { ...answers, 200: jsonAnswer("The credentials.", MfaBackchannelCredentials) },
  }),
  defineOperation({
    ...common,
    method: "post",
    path: credential,
    operationId: "saveWebauthnCredential",
    summary: "Adds a WebAuthn credential",
    request: body(MfaBackchannelCredential),
    answers,
  }),
  defineOperation({
    ...common,
    method: "put",
    path: credential,
    operationId: "updateWebauthnCredential",
    summary: "Replaces a WebAuthn credential while the old one is stored",
    request: body(MfaBackchannelReplacement),
    answers,
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: credential,
    operationId: "deleteWebauthnCredential",
    summary: "Deletes a WebAuthn credential",
    request: body(MfaBackchannelCredential),
    answers,
  }),
];
