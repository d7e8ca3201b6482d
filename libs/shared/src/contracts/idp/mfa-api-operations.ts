import { Type } from "typebox";
import { errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import { WebauthnCreation, WebauthnRegistrationBody } from "./webauthn.ts";

const family = defineFamily({ name: "MFA API", prefix: "/api/v1/mfa", owner: "idp", channel: "back" });
const common = { family, tag: "MFA API", audience: "idp", security: "browser_session" } as const;
const base = "/api/v1/mfa";

const TotpSetup = Type.Object(
  {
    secret: Type.String({ description: "TOTP secret in Base32." }),
    qr_code_url: Type.String({ description: "`otpauth:` URL for a QR code." }),
  },
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
  400: errorAnswer(
    "The code or response is invalid, there were too many attempts, or the backend does not store this factor.",
  ),
  401: errorAnswer("The browser is not signed in."),
  403: errorAnswer(
    "`step_up_required`: the last sign-in is too old; `cross_site`; `factor_required`; `doubted`: there are unanswered suspicious sign-ins, and the session does not prove the user.",
  ),
  500: temporaryFailure,
};
const done = { 200: jsonAnswer("Done.", StatusMessage), ...refusals };

/** Requests must come from a page of the site, proven by `Sec-Fetch-Site`, `Origin` or the page's token. */
const headers = Type.Object({ "X-CSRF-Token": Type.Optional(Type.String()) });

/** MFA API for a signed-in session. */
export const mfaApiOperations = [
  defineOperation({
    ...common,
    method: "get",
    path: `${base}/totp/setup`,
    operationId: "totpSetup",
    summary: "Get the secret for an authenticator app",
    answers: { 200: jsonAnswer("The secret.", TotpSetup), ...refusals },
  }),
  defineOperation({
    ...common,
    method: "post",
    path: `${base}/totp/register`,
    operationId: "totpRegister",
    summary: "Set up an authenticator app with its first code",
    request: { headers, body: { "application/json": TotpCode } },
    answers: done,
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: `${base}/totp`,
    operationId: "totpDelete",
    summary: "Remove the authenticator app",
    request: { headers },
    answers: done,
  }),
  defineOperation({
    ...common,
    method: "post",
    path: `${base}/recovery-codes/generate`,
    operationId: "recoveryCodesGenerate",
    summary: "Generate recovery codes, which replace the previous ones",
    request: { headers },
    answers: { 200: jsonAnswer("The codes, which are shown only once.", RecoveryCodes), ...refusals },
  }),
  defineOperation({
    ...common,
    method: "get",
    path: `${base}/webauthn/register/begin`,
    operationId: "webauthnRegisterBegin",
    summary: "Get a challenge for a new passkey",
    answers: { 200: jsonAnswer("Options for the browser's WebAuthn call.", WebauthnCreation), ...refusals },
  }),
  defineOperation({
    ...common,
    method: "post",
    path: `${base}/webauthn/register/finish`,
    operationId: "webauthnRegisterFinish",
    summary: "Store a new passkey",
    request: { headers, body: { "application/json": WebauthnRegistrationBody } },
    answers: done,
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: `${base}/webauthn/{credentialID}`,
    operationId: "webauthnDelete",
    summary: "Remove a passkey",
    request: { headers, path: Type.Object({ credentialID: Type.String() }) },
    answers: done,
  }),
];
