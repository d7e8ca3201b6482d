import { type TObject, type TProperties, Type } from "typebox";
import { ErrorBody } from "../operations/answers.ts";
import type { Operation, OperationAnswer } from "../operations/define-operation.ts";
import { selfServiceFamily } from "./families.ts";
import { csrfToken, definePage, page, sentTo } from "./page-operation.ts";
import { suspiciousSignInOperations } from "./suspicious-sign-in-operations.ts";
import { WebauthnCreation, WebauthnDone, WebauthnRegistrationBody } from "./webauthn.ts";

const common = { family: selfServiceFamily, tag: "Self-service", security: "browser_session" } as const;
const signedOut = page("The browser is not signed in.");
const tooOld = sentTo("Redirect to a sign-in, because the last one is more than ten minutes old.");
const absent = page("The backend of the account does not store this.");
/** Of pages that show or change factors. */
const fresh = { 302: tooOld, 401: signedOut, 404: absent };

const token = Type.Object({ "X-CSRF-Token": csrfToken });
const DeletionForm = Type.Object(
  { _method: Type.Literal("DELETE"), csrf_token: csrfToken },
  { title: "DeletionForm", description: "Form that deletes something." },
);

interface ShownOptions {
  readonly pathFields?: TObject;
  readonly isFresh?: boolean;
}

function shown<const Path extends string, const Id extends string>(
  path: Path,
  operationId: Id,
  summary: string,
  { isFresh = true, ...fields }: ShownOptions = {},
) {
  const answers = isFresh ? { 200: page("The page."), ...fresh } : { 200: page("The page."), 401: signedOut };
  return definePage({ ...common, ...fields, method: "get", path, operationId, summary, answers });
}

interface Removal<Id extends string, Path extends string> {
  readonly path: Path;
  readonly operationId: Id;
  readonly summary: string;
  readonly pathFields?: TObject;
  readonly isFresh?: boolean;
}

/** By DELETE, and by a form of a page without script. */
function removed<const Id extends string, const Path extends string>(removal: Removal<Id, Path>) {
  const { path, operationId, summary, pathFields, isFresh = true } = removal;
  const row = { ...common, path, summary, ...(pathFields !== undefined && { pathFields }) };
  const gone = sentTo("Redirect to the list, or to a sign-in if the last one is more than ten minutes old.");
  const answers = { 302: gone, 401: signedOut, ...(isFresh && { 404: absent }) };
  return [
    definePage({ ...row, method: "delete", operationId, headers: token, answers }),
    definePage({ ...row, method: "post", operationId: `${operationId}ByForm`, form: DeletionForm, answers }),
  ] as const;
}

const one = (name: string) => ({ pathFields: Type.Object({ id: Type.String({ description: `ID of the ${name}.` }) }) });

const formOf = (title: string, fields: TProperties): TObject =>
  Type.Object({ ...fields, csrf_token: csrfToken }, { title });

interface Posted<Id extends string, Path extends string> {
  readonly path: Path;
  readonly operationId: Id;
  readonly summary: string;
  readonly pathFields?: TObject;
  readonly form: TObject;
  readonly answers: Operation["answers"];
}

const posted = <const Id extends string, const Path extends string>(row: Posted<Id, Path>) =>
  definePage({ ...common, method: "post", ...row, answers: { ...fresh, ...row.answers } });

const refused: OperationAnswer = {
  description: "The response is invalid, or the request does not come from a page of the site.",
  content: { "application/json": ErrorBody, "text/html": Type.String() },
};

const on = sentTo("Redirect back, or to the sign-in that requires this factor.");
const recoveryForm = formOf("RecoverySaveForm", {
  set: Type.Optional(Type.String({ description: "Set of codes, from the page that shows them." })),
});

const saved = <const Path extends string, const Id extends string>(path: Path, operationId: Id) =>
  posted({
    path,
    operationId,
    summary: "Save the generated codes and invalidate the previous ones",
    form: recoveryForm,
    answers: { 302: on },
  });

const totp = [
  shown("/mfa/totp/register", "totpRegistrationPage", "Show the page for setting up an authenticator app"),
  posted({
    path: "/mfa/totp/register",
    operationId: "registerTotp",
    summary: "Set up an authenticator app with its first code",
    form: formOf("TotpRegistrationForm", { code: Type.String() }),
    answers: { 200: page("The page with an error message: the code is wrong."), 302: on },
  }),
  shown("/mfa/totp/remove", "totpRemovalPage", "Ask for confirmation before the authenticator app is removed"),
  ...removed({ path: "/mfa/totp", operationId: "deleteTotp", summary: "Remove the authenticator app" }),
];

const recovery = [
  shown("/mfa/recovery/register", "recoveryCodesPage", "Show the page for recovery codes"),
  posted({
    path: "/mfa/recovery/generate",
    operationId: "draftRecoveryCodes",
    summary: "Generate recovery codes, which become valid when they are saved",
    form: formOf("RecoveryDraftForm", {}),
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
  definePage({
    ...common,
    method: "get",
    path: "/mfa/webauthn/register/begin",
    operationId: "beginWebauthnRegistration",
    summary: "Get a challenge for a new passkey",
    answers: {
      200: {
        description: "Options for the browser's WebAuthn call.",
        content: { "application/json": WebauthnCreation },
      },
      ...fresh,
    },
  }),
  definePage({
    ...common,
    method: "post",
    path: "/mfa/webauthn/register/finish",
    operationId: "finishWebauthnRegistration",
    summary: "Store a new passkey",
    headers: token,
    json: WebauthnRegistrationBody,
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
  ...removed({ path: "/mfa/webauthn", operationId: "deleteWebauthn", summary: "Remove all passkeys" }),
  ...removed({
    path: "/mfa/webauthn/device/{id}",
    operationId: "deleteWebauthnDevice",
    summary: "Remove a passkey",
    ...one("passkey"),
  }),
  posted({
    path: "/mfa/webauthn/device/{id}/name",
    operationId: "renameWebauthnDevice",
    summary: "Rename a passkey",
    form: formOf("WebauthnNameForm", { name: Type.String() }),
    answers: { 302: sentTo("Redirect to the list.") },
    ...one("passkey"),
  }),
];

const appPassword = one("app password");

const access = [
  shown("/mfa/app-passwords", "appPasswordsPage", "List the app passwords of the account"),
  posted({
    path: "/mfa/app-passwords",
    operationId: "createAppPassword",
    summary: "Create an app password",
    form: formOf("AppPasswordForm", { label: Type.String() }),
    answers: { 200: page("The password, which is shown only once; or the list, if there are too many app passwords.") },
  }),
  shown("/mfa/app-password/{id}/remove", "appPasswordRemovalPage", "Ask before revoking an app password", appPassword),
  ...removed({
    path: "/mfa/app-password/{id}",
    operationId: "deleteAppPassword",
    summary: "Revoke an app password",
    ...appPassword,
  }),
  shown("/mfa/sessions", "sessionsPage", "List the sessions of the user", { isFresh: false }),
  ...removed({
    path: "/mfa/sessions",
    operationId: "endOtherSessions",
    summary: "End all other sessions",
    isFresh: false,
  }),
  ...removed({
    path: "/mfa/session/{id}",
    operationId: "endSessionOfUser",
    summary: "End another session of the user",
    isFresh: false,
    ...one("session"),
  }),
  shown("/mfa/applications", "applicationsPage", "List the applications that may use the account", { isFresh: false }),
  ...removed({
    path: "/mfa/application/{id}",
    operationId: "disconnectApplication",
    summary: "Revoke the tokens and the consent of a client",
    isFresh: false,
    ...one("client"),
  }),
];

const ways = [
  definePage({
    ...common,
    method: "get",
    path: "/mfa/register/home",
    operationId: "registrationHome",
    summary: "Show the account and its second factors",
    answers: { 200: page("The page."), 302: sentTo("Redirect to a sign-in.") },
  }),
  definePage({
    ...common,
    method: "get",
    path: "/mfa/register/continue",
    operationId: "continueRegistration",
    summary: "Continue with the next factor to set up, or with the sign-in that requires it",
    answers: { 302: sentTo("Redirect to the next factor or to the sign-in."), 401: signedOut },
  }),
  definePage({
    ...common,
    method: "get",
    path: "/mfa/register/cancel",
    operationId: "cancelRegistration",
    summary: "Cancel the sign-in that requires a second factor, and end its session",
    answers: {
      302: sentTo("Redirect to the start page, or to the page that says that the session has ended."),
      401: signedOut,
    },
  }),
];

const mailClient = Type.Object({
  client: Type.String({ description: "Kind of mail client: apple, android, thunderbird, outlook or other." }),
});
const noMailSettings = page(
  "No settings are configured for the user's mail domain, or there is no such kind of client.",
);

const mailClients = [
  definePage({
    ...common,
    method: "get",
    path: "/mfa/mail-clients",
    operationId: "mailClientsPage",
    summary: "List the kinds of mail clients to set up",
    answers: { 200: page("The page."), 401: signedOut, 404: noMailSettings },
  }),
  definePage({
    ...common,
    method: "get",
    path: "/mfa/mail-client/{client}",
    operationId: "mailClientPage",
    summary: "Show how to set up a kind of mail client",
    pathFields: mailClient,
    answers: { 200: page("The page."), 302: tooOld, 401: signedOut, 404: noMailSettings },
  }),
  posted({
    path: "/mfa/mail-client/{client}",
    operationId: "createMailClientPassword",
    summary: "Create an app password for a mail client, and with it a profile or a QR code",
    pathFields: mailClient,
    form: formOf("MailClientForm", { label: Type.String() }),
    answers: {
      200: page(
        "The password, profile or QR code, which are shown only once; or the page, if there are too many app passwords.",
      ),
      404: noMailSettings,
    },
  }),
];

/** Self-service pages for second factors and other account settings. */
export const selfServiceOperations = [
  ...ways,
  ...totp,
  ...recovery,
  ...webauthn,
  ...access,
  ...suspiciousSignInOperations,
  ...mailClients,
];
