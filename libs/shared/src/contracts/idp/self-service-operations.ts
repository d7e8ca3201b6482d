import { type TObject, type TProperties, Type } from "typebox";
import { ErrorBody, jsonBody, pathOf } from "../operations/answers.ts";
import type { OperationAnswer, Row } from "../operations/define-operation.ts";
import { component, optionalText, text } from "../schema.ts";
import { csrfToken, form, page, pagesWith, selfServiceFamily, sentTo } from "./page-operation.ts";
import { WebauthnCreation, WebauthnDone, WebauthnRegistrationBody } from "./webauthn.ts";

const selfService = pagesWith({ family: selfServiceFamily, tag: "Self-service", security: "browser_session" });
const signedOut = page("The browser is not signed in.");
const tooOld = sentTo("Redirect to a sign-in, because the last one is more than ten minutes old.");
const absent = page("The backend of the account does not store this.");
/** Answers of pages that show or change factors. */
const fresh = { 302: tooOld, 401: signedOut, 404: absent };

const token = Type.Object({ "X-CSRF-Token": csrfToken });
const DeletionForm = component(
  "DeletionForm",
  { _method: Type.Literal("DELETE"), csrf_token: csrfToken },
  { description: "Form that deletes something." },
);

type Options = Pick<Row, "request"> & { readonly isFresh?: boolean };

function shown<const Path extends string, const Id extends string>(
  path: Path,
  operationId: Id,
  summary: string,
  { isFresh = true, ...fields }: Options = {},
) {
  const answers = { 200: page("The page."), ...(isFresh ? fresh : { 401: signedOut }) };
  return selfService("get", path, operationId, { ...fields, summary, answers });
}

/** Something is deleted by DELETE, and by a form of a page without script. */
function removed<const Path extends string, const Id extends string>(
  path: Path,
  operationId: Id,
  summary: string,
  { isFresh = true, request }: Options = {},
) {
  const gone = sentTo("Redirect to the list, or to a sign-in if the last one is more than ten minutes old.");
  const row = { summary, answers: { 302: gone, 401: signedOut, ...(isFresh && { 404: absent }) } };
  return [
    selfService("delete", path, operationId, { ...row, request: { ...request, headers: token } }),
    selfService("post", path, `${operationId}ByForm` as const, {
      ...row,
      request: { ...request, ...form(DeletionForm) },
    }),
  ] as const;
}

const one = (name: string) => ({ request: pathOf({ id: text(`ID of the ${name}.`) }) });

const formOf = (title: string, fields: TProperties): TObject =>
  Type.Object({ ...fields, csrf_token: csrfToken }, { title });

const posted = <const Path extends string, const Id extends string>(path: Path, operationId: Id, row: Row) =>
  selfService("post", path, operationId, { ...row, answers: { ...fresh, ...row.answers } });

const refused: OperationAnswer = {
  description: "The response is invalid, or the request does not come from a page of the site.",
  content: { "application/json": ErrorBody, "text/html": Type.String() },
};

const on = sentTo("Redirect back, or to the sign-in that requires this factor.");
const recoveryForm = formOf("RecoverySaveForm", {
  set: optionalText("Set of codes, from the page that shows them."),
});

const saved = <const Path extends string, const Id extends string>(path: Path, operationId: Id) =>
  posted(path, operationId, {
    summary: "Save the generated codes and invalidate the previous ones",
    request: form(recoveryForm),
    answers: { 302: on },
  });

const totp = [
  shown("/mfa/totp/register", "totpRegistrationPage", "Show the page for setting up an authenticator app"),
  posted("/mfa/totp/register", "registerTotp", {
    summary: "Set up an authenticator app with its first code",
    request: form(formOf("TotpRegistrationForm", { code: Type.String() })),
    answers: { 200: page("The page with an error message: the code is wrong."), 302: on },
  }),
  shown("/mfa/totp/remove", "totpRemovalPage", "Ask for confirmation before the authenticator app is removed"),
  ...removed("/mfa/totp", "deleteTotp", "Remove the authenticator app"),
];

const recovery = [
  shown("/mfa/recovery/register", "recoveryCodesPage", "Show the page for recovery codes"),
  posted("/mfa/recovery/generate", "draftRecoveryCodes", {
    summary: "Generate recovery codes, which become valid when they are saved",
    request: form(formOf("RecoveryDraftForm", {})),
    answers: {
      200: page("The codes, which are shown only once."),
      302: sentTo("Redirect back, because the account has no second factor."),
    },
  }),
  saved("/mfa/recovery/register", "saveRecoveryCodes"),
  saved("/mfa/recovery/register/save", "saveDraftedRecoveryCodes"),
];

const webauthn = [
  shown("/mfa/webauthn/register", "webauthnRegistrationPage", "Show the page for setting up a passkey"),
  selfService("get", "/mfa/webauthn/register/begin", "beginWebauthnRegistration", {
    summary: "Get a challenge for a new passkey",
    answers: {
      200: {
        description: "Options for the browser's WebAuthn call.",
        content: { "application/json": WebauthnCreation },
      },
      ...fresh,
    },
  }),
  selfService("post", "/mfa/webauthn/register/finish", "finishWebauthnRegistration", {
    summary: "Store a new passkey",
    request: { headers: token, ...jsonBody(WebauthnRegistrationBody) },
    answers: {
      200: { description: "The passkey was stored.", content: { "application/json": WebauthnDone } },
      ...fresh,
      400: refused,
    },
  }),
  shown("/mfa/webauthn/devices", "webauthnDevicesPage", "List the passkeys of the account"),
  shown("/mfa/webauthn/remove", "webauthnRemovalPage", "Ask for confirmation before all passkeys are removed"),
  shown(
    "/mfa/webauthn/device/{id}/remove",
    "webauthnDeviceRemovalPage",
    "Ask for confirmation before a passkey is removed",
    one("passkey"),
  ),
  ...removed("/mfa/webauthn", "deleteWebauthn", "Remove all passkeys"),
  ...removed("/mfa/webauthn/device/{id}", "deleteWebauthnDevice", "Remove a passkey", one("passkey")),
  posted("/mfa/webauthn/device/{id}/name", "renameWebauthnDevice", {
    summary: "Rename a passkey",
    request: { ...form(formOf("WebauthnNameForm", { name: Type.String() })), ...one("passkey").request },
    answers: { 302: sentTo("Redirect to the list.") },
  }),
];

const appPassword = one("app password");

const access = [
  shown("/mfa/app-passwords", "appPasswordsPage", "List the app passwords of the account"),
  posted("/mfa/app-passwords", "createAppPassword", {
    summary: "Create an app password",
    request: form(formOf("AppPasswordForm", { label: Type.String() })),
    answers: { 200: page("The password, which is shown only once; or the list, if there are too many app passwords.") },
  }),
  shown("/mfa/app-password/{id}/remove", "appPasswordRemovalPage", "Ask before revoking an app password", appPassword),
  ...removed("/mfa/app-password/{id}", "deleteAppPassword", "Revoke an app password", appPassword),
  shown("/mfa/sessions", "sessionsPage", "List the sessions of the user", { isFresh: false }),
  ...removed("/mfa/sessions", "endOtherSessions", "End all other sessions", { isFresh: false }),
  ...removed("/mfa/session/{id}", "endSessionOfUser", "End another session of the user", {
    isFresh: false,
    ...one("session"),
  }),
  ...removed("/mfa/remembered-devices", "forgetDevices", "Ask for the second factor again on all devices", {
    isFresh: false,
  }),
  ...removed("/mfa/remembered-device/{id}", "forgetDevice", "Ask for the second factor again on a device", {
    isFresh: false,
    ...one("remembered device"),
  }),
  shown("/mfa/sign-ins", "recentSignInsPage", "List the recorded sign-ins to the account", { isFresh: false }),
  shown("/mfa/applications", "applicationsPage", "List the applications that may use the account", { isFresh: false }),
  ...removed("/mfa/application/{id}", "disconnectApplication", "Revoke the tokens and the consent of a client", {
    isFresh: false,
    ...one("client"),
  }),
];

const ways = [
  selfService("get", "/mfa/register/home", "registrationHome", {
    summary: "Show the account and its second factors",
    answers: { 200: page("The page."), 302: sentTo("Redirect to a sign-in.") },
  }),
  selfService("get", "/mfa/register/continue", "continueRegistration", {
    summary: "Continue with the next factor to set up, or with the sign-in that requires it",
    answers: { 302: sentTo("Redirect to the next factor or to the sign-in."), 401: signedOut },
  }),
  selfService("get", "/mfa/register/cancel", "cancelRegistration", {
    summary: "Cancel the sign-in that requires a second factor, and end its session",
    answers: {
      302: sentTo("Redirect to the start page, or to the page that says that the session has ended."),
      401: signedOut,
    },
  }),
];

/** "Was this you?" */
const suspicious = [
  selfService("get", "/mfa/suspicious-sign-ins", "suspiciousSignInsPage", {
    summary: "Ask the user whether suspicious sign-ins were theirs",
    answers: { 200: page("The page."), 401: signedOut },
  }),
  selfService("post", "/mfa/suspicious-sign-ins/{id}/confirm", "confirmSuspiciousSignIn", {
    summary: "Confirm that a suspicious sign-in was the user's own",
    request: {
      path: Type.Object({ id: text("Digest of the network of the sign-in.") }),
      ...form(formOf("SignInConfirmationForm", {})),
    },
    answers: {
      302: sentTo("Redirect to the list, or to a sign-in with the second factor."),
      400: page("Neither a second factor nor a device that was known before the sign-in proves it."),
      401: signedOut,
    },
  }),
  selfService("post", "/mfa/suspicious-sign-ins/secure", "secureAccount", {
    summary: "End all other sessions, tokens and app passwords",
    request: form(formOf("SecureAccountForm", {})),
    answers: {
      302: sentTo("Redirect to the list, which links to the page for changing the password."),
      401: signedOut,
    },
  }),
];

const mailClient = Type.Object({
  client: text("Kind of mail client: apple, android, thunderbird, outlook or other."),
});
const noMailSettings = page(
  "No settings are configured for the user's mail domain, or there is no such kind of client.",
);

const mailClients = [
  selfService("get", "/mfa/mail-clients", "mailClientsPage", {
    summary: "List the kinds of mail clients to set up",
    answers: { 200: page("The page."), 401: signedOut, 404: noMailSettings },
  }),
  selfService("get", "/mfa/mail-client/{client}", "mailClientPage", {
    summary: "Show how to set up a kind of mail client",
    request: { path: mailClient },
    answers: { 200: page("The page."), 302: tooOld, 401: signedOut, 404: noMailSettings },
  }),
  posted("/mfa/mail-client/{client}", "createMailClientPassword", {
    summary: "Create an app password for a mail client, and with it a profile or a QR code",
    request: { path: mailClient, ...form(formOf("MailClientForm", { label: Type.String() })) },
    answers: {
      200: page(
        "The password, profile or QR code, which are shown only once; or the page, if there are too many app passwords.",
      ),
      404: noMailSettings,
    },
  }),
];

export const selfServiceOperations = [
  ...ways,
  ...totp,
  ...recovery,
  ...webauthn,
  ...access,
  ...suspicious,
  ...mailClients,
];
