import { type TObject, type TProperties, Type } from "typebox";
import { ErrorBody } from "../openapi/answers.ts";
import type { Operation, OperationAnswer } from "../openapi/define-operation.ts";
import { csrfToken, type PageOperation, page, pageOperations, sentTo } from "./page-operation.ts";
import { WebauthnCreation, WebauthnDone, WebauthnRegistrationBody } from "./webauthn.ts";

const common = { tag: "Self-service", security: "browser_session" } as const;
const signedOut = page("Nobody is signed in.");
const tooOld = sentTo("To a sign-in first: the last one is more than ten minutes ago.");
const absent = page("The account's directory keeps nothing of the kind.");
/** Of pages that show or change factors. */
const fresh = { 302: tooOld, 401: signedOut, 404: absent };

const token = Type.Object({ "X-CSRF-Token": csrfToken });
const DeletionForm = Type.Object(
  { _method: Type.Literal("DELETE"), csrf_token: csrfToken },
  { title: "DeletionForm", description: "What a form sends that deletes." },
);

function shown(path: string, operationId: string, summary: string, isFresh = true): PageOperation {
  const answers = isFresh ? { 200: page("The page."), ...fresh } : { 200: page("The page."), 401: signedOut };
  return { ...common, method: "get", path, operationId, summary, answers };
}

interface Removal {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly pathFields?: TObject;
  readonly isFresh?: boolean;
}

/** By DELETE, and by a form of a page without script. */
function removed({ path, operationId, summary, pathFields, isFresh = true }: Removal): readonly PageOperation[] {
  const row = { ...common, path, summary, ...(pathFields !== undefined && { pathFields }) };
  const gone = sentTo("Back to the list; also to a sign-in, when the last one is more than ten minutes ago.");
  const answers = { 302: gone, 401: signedOut, ...(isFresh && { 404: absent }) };
  return [
    { ...row, method: "delete", operationId, headers: token, answers },
    { ...row, method: "post", operationId: `${operationId}ByForm`, form: DeletionForm, answers },
  ];
}

const one = (name: string) => ({ pathFields: Type.Object({ id: Type.String({ description: `Of the ${name}.` }) }) });

const formOf = (title: string, fields: TProperties): TObject =>
  Type.Object({ ...fields, csrf_token: csrfToken }, { title });

interface Posted {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly form: TObject;
  readonly answers: Operation["answers"];
}

const posted = (row: Posted): PageOperation => ({
  ...common,
  method: "post",
  ...row,
  answers: { ...fresh, ...row.answers },
});

const refused: OperationAnswer = {
  description: "The answer is wrong, or not a page's.",
  content: { "application/json": ErrorBody, "text/html": Type.String() },
};

const on = sentTo("On: back, or to the sign-in that waits for this factor.");
const recoveryForm = formOf("RecoverySaveForm", {
  set: Type.Optional(Type.String({ description: "Which codes: of the page that shows them." })),
});

const totp: readonly PageOperation[] = [
  shown("/mfa/totp/register", "totpRegistrationPage", "The page that sets up an authenticator app"),
  posted({
    path: "/mfa/totp/register",
    operationId: "registerTotp",
    summary: "Sets up an authenticator app by its first code",
    form: formOf("TotpRegistrationForm", { code: Type.String() }),
    answers: { 200: page("The page again: the code is wrong."), 302: on },
  }),
  ...removed({ path: "/mfa/totp", operationId: "deleteTotp", summary: "Removes the authenticator app" }),
];

const recovery: readonly PageOperation[] = [
  shown("/mfa/recovery/register", "recoveryCodesPage", "The page that makes recovery codes"),
  posted({
    path: "/mfa/recovery/generate",
    operationId: "draftRecoveryCodes",
    summary: "Makes recovery codes, which work once they are saved",
    form: formOf("RecoveryDraftForm", {}),
    answers: { 200: page("The codes, this once."), 302: sentTo("Back: the account has no second factor.") },
  }),
  ...(
    [
      ["/mfa/recovery/register", "saveRecoveryCodes"],
      ["/mfa/recovery/register/save", "saveDraftedRecoveryCodes"],
    ] as const
  ).map(([path, operationId]) =>
    posted({
      path,
      operationId,
      summary: "Saves the codes that were shown; those of before are dead",
      form: recoveryForm,
      answers: { 302: on },
    }),
  ),
];

const webauthn: readonly PageOperation[] = [
  shown("/mfa/webauthn/register", "webauthnRegistrationPage", "The page that sets up a passkey"),
  {
    ...common,
    method: "get",
    path: "/mfa/webauthn/register/begin",
    operationId: "beginWebauthnRegistration",
    summary: "A challenge for a new passkey",
    answers: {
      200: { description: "What the browser is asked.", content: { "application/json": WebauthnCreation } },
      ...fresh,
    },
  },
  {
    ...common,
    method: "post",
    path: "/mfa/webauthn/register/finish",
    operationId: "finishWebauthnRegistration",
    summary: "Keeps a new passkey",
    headers: token,
    json: WebauthnRegistrationBody,
    answers: {
      200: { description: "Kept.", content: { "application/json": WebauthnDone } },
      ...fresh,
      400: refused,
    },
  },
  shown("/mfa/webauthn/devices", "webauthnDevicesPage", "The account's passkeys"),
  ...removed({ path: "/mfa/webauthn", operationId: "deleteWebauthn", summary: "Removes all passkeys" }),
  ...removed({
    path: "/mfa/webauthn/device/{id}",
    operationId: "deleteWebauthnDevice",
    summary: "Removes a passkey",
    ...one("passkey"),
  }),
  {
    ...posted({
      path: "/mfa/webauthn/device/{id}/name",
      operationId: "renameWebauthnDevice",
      summary: "Names a passkey",
      form: formOf("WebauthnNameForm", { name: Type.String() }),
      answers: { 302: sentTo("Back to the list.") },
    }),
    ...one("passkey"),
  },
];

const access: readonly PageOperation[] = [
  shown("/mfa/app-passwords", "appPasswordsPage", "The account's app passwords"),
  posted({
    path: "/mfa/app-passwords",
    operationId: "createAppPassword",
    summary: "Makes an app password",
    form: formOf("AppPasswordForm", { label: Type.String() }),
    answers: { 200: page("The password, this once; or the list, when there are too many.") },
  }),
  ...removed({
    path: "/mfa/app-password/{id}",
    operationId: "deleteAppPassword",
    summary: "Takes an app password back",
    ...one("app password"),
  }),
  shown("/mfa/sessions", "sessionsPage", "Where the user is signed in", false),
  ...removed({
    path: "/mfa/sessions",
    operationId: "endOtherSessions",
    summary: "Ends all sessions but this one",
    isFresh: false,
  }),
  ...removed({
    path: "/mfa/session/{id}",
    operationId: "endSessionOfUser",
    summary: "Ends another session of the user",
    isFresh: false,
    ...one("session"),
  }),
  shown("/mfa/applications", "applicationsPage", "What may use the account", false),
  ...removed({
    path: "/mfa/application/{id}",
    operationId: "disconnectApplication",
    summary: "Ends a client's tokens and forgets the consent",
    isFresh: false,
    ...one("client"),
  }),
];

const ways: readonly PageOperation[] = [
  {
    ...common,
    method: "get",
    path: "/mfa/register/home",
    operationId: "registrationHome",
    summary: "The account and its second factors",
    answers: { 200: page("The page."), 302: sentTo("To a sign-in first.") },
  },
  {
    ...common,
    method: "get",
    path: "/mfa/register/continue",
    operationId: "continueRegistration",
    summary: "On to what is still to be set up, or with the sign-in that waits for it",
    answers: { 302: sentTo("There."), 401: signedOut },
  },
  {
    ...common,
    method: "get",
    path: "/mfa/register/cancel",
    operationId: "cancelRegistration",
    summary: "Gives up the sign-in that waits for a factor, and its session",
    answers: { 302: sentTo("Home, or to the page that says that the session is over."), 401: signedOut },
  },
];

/** Contract, "Identity provider: MFA self-service", and what belongs to an account beside it. */
export const selfServiceOperations: readonly Operation[] = [
  ...ways,
  ...totp,
  ...recovery,
  ...webauthn,
  ...access,
].flatMap((row) => pageOperations(row));
