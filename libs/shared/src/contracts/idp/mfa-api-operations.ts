import { Type } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, temporaryFailure } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import { component, text } from "../schema.ts";
import { WebauthnCreation, WebauthnRegistrationBody } from "./webauthn.ts";

const family = defineFamily({ name: "MFA API", prefix: "/api/v1/mfa", owner: "idp", channel: "back" });
const base = "/api/v1/mfa";

const TotpSetup = component("TotpSetup", {
  secret: text("TOTP secret in Base32."),
  qr_code_url: text("`otpauth:` URL for a QR code."),
});
const TotpCode = component("TotpCode", { code: Type.String() });
const RecoveryCodes = component("RecoveryCodes", {
  codes: Type.Array(Type.String({ pattern: "^[A-Z0-9]{4}-[A-Z0-9]{4}$" })),
});
const StatusMessage = component("StatusMessage", { status: Type.Literal("success"), message: Type.String() });

const mfaApi = operationsWith({
  family,
  tag: "MFA API",
  audience: "idp",
  security: "browser_session",
  answers: {
    200: jsonAnswer("Done.", StatusMessage),
    400: errorAnswer(
      "The code or response is invalid, there were too many attempts, or the backend does not store this factor.",
    ),
    401: errorAnswer("The browser is not signed in."),
    403: errorAnswer(
      "`step_up_required`: the last sign-in is too old; `cross_site`; `factor_required`; `doubted`: there are unanswered suspicious sign-ins, and the session does not prove the user.",
    ),
    500: temporaryFailure,
  },
});

/** Requests must come from a page of the site, proven by `Sec-Fetch-Site`, `Origin` or the page's token. */
const headers = Type.Object({ "X-CSRF-Token": Type.Optional(Type.String()) });

export const mfaApiOperations = [
  mfaApi("get", `${base}/totp/setup`, "totpSetup", {
    summary: "Get the secret for an authenticator app",
    answers: { 200: jsonAnswer("The secret.", TotpSetup) },
  }),
  mfaApi("post", `${base}/totp/register`, "totpRegister", {
    summary: "Set up an authenticator app with its first code",
    request: { headers, ...jsonBody(TotpCode) },
  }),
  mfaApi("delete", `${base}/totp`, "totpDelete", { summary: "Remove the authenticator app", request: { headers } }),
  mfaApi("post", `${base}/recovery-codes/generate`, "recoveryCodesGenerate", {
    summary: "Generate recovery codes, which replace the previous ones",
    request: { headers },
    answers: { 200: jsonAnswer("The codes, which are shown only once.", RecoveryCodes) },
  }),
  mfaApi("get", `${base}/webauthn/register/begin`, "webauthnRegisterBegin", {
    summary: "Get a challenge for a new passkey",
    answers: { 200: jsonAnswer("Options for the browser's WebAuthn call.", WebauthnCreation) },
  }),
  mfaApi("post", `${base}/webauthn/register/finish`, "webauthnRegisterFinish", {
    summary: "Store a new passkey",
    request: { headers, ...jsonBody(WebauthnRegistrationBody) },
  }),
  mfaApi("delete", `${base}/webauthn/{credentialID}`, "webauthnDelete", {
    summary: "Remove a passkey",
    request: { headers, path: Type.Object({ credentialID: Type.String() }) },
  }),
];
