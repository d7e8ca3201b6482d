import { Type } from "typebox";
import { ErrorBody, jsonBody } from "../operations/answers.ts";
import type { OperationAnswer } from "../operations/define-operation.ts";
import { component, optionalFlag, optionalText, text } from "../schema.ts";
import { csrfToken, form, loggedOutFamily, loginFamily, page, pagesWith, sentTo } from "./page-operation.ts";
import { WebauthnDone, WebauthnRequest, WebauthnSignInBody } from "./webauthn.ts";

const loginPage = pagesWith({ family: loginFamily, tag: "Sign-in", security: "none" });
const query = Type.Object({ flow: optionalText("Sign-in of this browser to continue. If absent, the latest.") });

const LoginForm = component("LoginForm", {
  username: Type.String({ maxLength: 255 }),
  password: Type.String({ maxLength: 4096 }),
  csrf_token: csrfToken,
  remember_me: Type.Optional(Type.Literal("on")),
});
const CodeForm = component("CodeForm", {
  code: text("Six digits, a recovery code `XXXX-XXXX`, or a code from the help desk `XXXX-XXXX-XXXX-XXXX`."),
  csrf_token: csrfToken,
  remember_device: Type.Optional(Type.Literal("on")),
});

const elsewhere = sentTo("Redirect to the current step of this sign-in.");
const onwards = sentTo("Redirect to a second factor, or to the end of the sign-in.");
const again = page("The form with an error message.");

const PasskeyRefused = component("PasskeyRefused", {
  ...ErrorBody.properties,
  reference: optionalText("Reference of the failure, for `postern why`."),
  unknown_credential: optionalFlag("The passkey was removed from its account, so the browser need not offer it."),
});

/** JSON for the page's script; pages for browsers without a sign-in. */
const refused: OperationAnswer = {
  description: "The response is invalid, there were too many attempts, or there is no sign-in.",
  content: { "application/json": ErrorBody, "text/html": Type.String() },
};

const shown = <const Path extends string, const Id extends string>(
  path: Path,
  operationId: Id,
  summary: string,
  description = "The page.",
) =>
  loginPage("get", path, operationId, {
    summary,
    request: { query },
    answers: { 200: page(description), 302: elsewhere },
  });

function codeFactor<const Name extends "totp" | "recovery" | "lostPhone", const Path extends string>(
  name: Name,
  path: Path,
  summary: string,
) {
  return [
    shown(path, `${name}Page` as const, `Show the form for ${summary}`, "The form."),
    loginPage("post", path, `${name}SignIn`, {
      summary: `Sign in with ${summary}`,
      request: form(CodeForm),
      answers: { 200: again, 302: onwards },
    }),
  ];
}

const webauthn = [
  shown("/login/webauthn", "webauthnPage", "Show the passkey page", "The page. It requires JavaScript."),
  loginPage("get", "/login/webauthn/begin", "beginWebauthnSignIn", {
    summary: "Get a passkey challenge",
    description:
      "Before the user name is known, the challenge is for any passkey of the site. After the password, it is for the passkeys of the account.",
    request: { query },
    answers: {
      200: {
        description: "Options for the browser's WebAuthn call.",
        content: { "application/json": WebauthnRequest },
      },
      302: elsewhere,
    },
  }),
  loginPage("post", "/login/webauthn/finish", "finishWebauthnSignIn", {
    summary: "Sign in with a passkey response",
    request: { headers: Type.Object({ "X-CSRF-Token": csrfToken }), ...jsonBody(WebauthnSignInBody) },
    answers: {
      200: { description: "Signed in.", content: { "application/json": WebauthnDone } },
      302: elsewhere,
      400: { ...refused, content: { ...refused.content, "application/json": PasskeyRefused } },
    },
  }),
];

export const loginOperations = [
  shown("/login", "loginPage", "Show the sign-in form", "The form."),
  loginPage("post", "/login", "login", {
    summary: "Sign in with user name and password",
    request: form(LoginForm),
    answers: { 200: again, 302: onwards },
  }),
  loginPage("get", "/login/mfa", "mfaPage", {
    summary: "Choose a second factor",
    request: { query },
    answers: {
      200: page("The choice."),
      302: sentTo("Redirect to the only second factor, or to the current step of this sign-in."),
    },
  }),
  loginPage("get", "/login/restart", "restartLogin", {
    summary: "Start again as another user",
    request: { query },
    answers: { 302: sentTo("Redirect to the sign-in form.") },
  }),
  loginPage("post", "/login/cancel", "cancelLogin", {
    summary: "Cancel the sign-in and return to the application",
    description:
      "The application receives `access_denied` (OIDC) or the status `AuthnFailed` (SAML). Sign-ins for a device or for self-service cannot be cancelled.",
    request: form(component("CancelForm", { csrf_token: csrfToken })),
    answers: { 302: sentTo("Redirect that ends at the application.") },
  }),
  ...codeFactor("totp", "/login/totp", "an authenticator app code"),
  ...codeFactor("recovery", "/login/recovery", "a recovery code"),
  ...codeFactor("lostPhone", "/login/lost-phone", "a code from the help desk"),
  shown("/login/codes", "codesLowPage", "Show how many recovery codes are left, after a sign-in with one of the last"),
  shown("/login/password", "passwordWarningPage", "Show, after a sign-in, that the password must soon be changed"),
  ...webauthn,
  loginPage("get", "/logged_out", "loggedOutPage", {
    family: loggedOutFamily,
    summary: "Show that the session has ended",
    answers: { 200: page("The page.") },
  }),
];
