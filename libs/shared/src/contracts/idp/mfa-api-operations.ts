import { Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../openapi/answers.ts";
import { defineOperation, type Operation } from "../openapi/define-operation.ts";
import { WebauthnCreation, WebauthnRegistrationBody } from "./webauthn.ts";

const common = { tag: "MFA API", audience: "idp", security: "browser_session" } as const;
const base = "/api/v1/mfa";

const TotpSetup = Type.Object(
  { secret: Type.String({ description: "Base32." }), qr_code_url: Type.String({ description: "`otpauth:`" }) },
  { title: "TotpSetup" },
);
const TotpCode = Type.Object({ code: Type.String() }, { title: "TotpCode" });
const RecoveryCodes = Type.Object(
  { codes: Type.Array(Type.String({ pattern: "^[A-Z0-9]{4}-[A-Z0-9]{4}$" })) },
  { title: "RecoveryCodes" },
);
const StatusMessage = Type.Object(
  { status: Type.Literal("success"), message: Type.String() },
  { title: "StatusMessage" },
);

const refusals = {
  400: errorAnswer("The code or answer is wrong or came too often, or the directory keeps nothing of the kind."),
  401: errorAnswer("Nobody is signed in."),
  403: errorAnswer("`step_up_required`: the last sign-in is too long ago; `cross_site`; `factor_required`."),
  500: temporaryFailure,
};
const done = { 200: jsonAnswer("Done.", StatusMessage), ...refusals };

/** A page of the site asks: the browser says so by `Sec-Fetch-Site` or `Origin`, or the page by its token. */
const headers = Type.Object({ "X-CSRF-Token": Type.Optional(Type.String()) });

/** Contract, "MFA API for a logged-in session". */
export const mfaApiOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "get",
    path: `${base}/totp/setup`,
    operationId: "totpSetup",
    summary: "The secret for an authenticator app; asked again, the same one",
    answers: { 200: jsonAnswer("The secret.", TotpSetup), ...refusals },
  }),
  defineOperation({
    ...common,
    method: "post",
    path: `${base}/totp/register`,
    operationId: "totpRegister",
    summary: "Sets up an authenticator app by its first code",
    request: { headers, body: { "application/json": TotpCode } },
    answers: done,
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: `${base}/totp`,
    operationId: "totpDelete",
    summary: "Removes the authenticator app",
    request: { headers },
    answers: done,
  }),
  defineOperation({
    ...common,
    method: "post",
    path: `${base}/recovery-codes/generate`,
    operationId: "recoveryCodesGenerate",
    summary: "Makes recovery codes; those of before are dead",
    request: { headers },
    answers: { 200: jsonAnswer("The codes, this once.", RecoveryCodes), ...refusals },
  }),
  defineOperation({
    ...common,
    method: "get",
    path: `${base}/webauthn/register/begin`,
    operationId: "webauthnRegisterBegin",
    summary: "A challenge for a new passkey",
    answers: { 200: jsonAnswer("What the browser is asked.", WebauthnCreation), ...refusals },
  }),
  defineOperation({
    ...common,
    method: "post",
    path: `${base}/webauthn/register/finish`,
    operationId: "webauthnRegisterFinish",
    summary: "Keeps a new passkey",
    request: { headers, body: { "application/json": WebauthnRegistrationBody } },
    answers: done,
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: `${base}/webauthn/{credentialID}`,
    operationId: "webauthnDelete",
    summary: "Removes a passkey",
    request: { headers, path: Type.Object({ credentialID: Type.String() }) },
    answers: done,
  }),
];
