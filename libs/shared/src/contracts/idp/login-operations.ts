import { Type } from "typebox";
import { ErrorBody } from "../openapi/answers.ts";
import type { Operation, OperationAnswer } from "../openapi/define-operation.ts";
import { csrfToken, type PageOperation, page, pageOperations, sentTo } from "./page-operation.ts";
import { WebauthnDone, WebauthnRequest, WebauthnSignInBody } from "./webauthn.ts";

const common = { tag: "Sign-in", security: "none" } as const;
const query = Type.Object({
  flow: Type.Optional(Type.String({ description: "Which sign-in of this browser; the latest when it is left out." })),
});

const LoginForm = Type.Object(
  {
    username: Type.String({ maxLength: 255 }),
    password: Type.String({ maxLength: 4096 }),
    csrf_token: csrfToken,
    remember_me: Type.Optional(Type.Literal("on")),
  },
  { title: "LoginForm" },
);
const CodeForm = Type.Object(
  { code: Type.String({ description: "Six digits, or a recovery code `XXXX-XXXX`." }), csrf_token: csrfToken },
  { title: "CodeForm" },
);

const elsewhere = sentTo("To where this sign-in stands.");
const onwards = sentTo("On: to a second factor, or to what the sign-in is for.");
const again = page("The form again, with what is wrong.");

/** JSON for our script; pages are for those who come without a sign-in. */
const refused: OperationAnswer = {
  description: "The answer is wrong or came too often, or there is no sign-in.",
  content: { "application/json": ErrorBody, "text/html": Type.String() },
};

function codeFactor(name: "totp" | "recovery", summary: string): readonly PageOperation[] {
  const path = `/login/${name}`;
  return [
    {
      ...common,
      method: "get",
      path,
      operationId: `${name}Page`,
      summary: `The page that asks for ${summary}`,
      query,
      answers: { 200: page("The form."), 302: elsewhere },
    },
    {
      ...common,
      method: "post",
      path,
      operationId: `${name}SignIn`,
      summary: `Signs in by ${summary}`,
      form: CodeForm,
      answers: { 200: again, 302: onwards },
    },
  ];
}

const webauthn: readonly PageOperation[] = [
  {
    ...common,
    method: "get",
    path: "/login/webauthn",
    operationId: "webauthnPage",
    summary: "The page that asks for a passkey",
    query,
    answers: { 200: page("The page; it needs its script."), 302: elsewhere },
  },
  {
    ...common,
    method: "get",
    path: "/login/webauthn/begin",
    operationId: "beginWebauthnSignIn",
    summary: "A challenge for passkeys",
    description: "Before a name is known, for any passkey of the site; after the password, for those of the account.",
    query,
    answers: {
      200: { description: "What the browser is asked.", content: { "application/json": WebauthnRequest } },
      302: elsewhere,
    },
  },
  {
    ...common,
    method: "post",
    path: "/login/webauthn/finish",
    operationId: "finishWebauthnSignIn",
    summary: "Signs in by what a passkey signed",
    headers: Type.Object({ "X-CSRF-Token": csrfToken }),
    json: WebauthnSignInBody,
    answers: {
      200: { description: "Signed in.", content: { "application/json": WebauthnDone } },
      302: elsewhere,
      400: refused,
    },
  },
];

/** Contract, "Identity provider: browser login and MFA". */
export const loginOperations: readonly Operation[] = [
  {
    ...common,
    method: "get",
    path: "/login",
    operationId: "loginPage",
    summary: "The page that asks for name and password",
    query,
    answers: { 200: page("The form."), 302: elsewhere },
  } as const,
  {
    ...common,
    method: "post",
    path: "/login",
    operationId: "login",
    summary: "Signs in by name and password",
    form: LoginForm,
    answers: { 200: again, 302: onwards },
  } as const,
  {
    ...common,
    method: "get",
    path: "/login/mfa",
    operationId: "mfaPage",
    summary: "The choice of second factors",
    query,
    answers: { 200: page("The choice."), 302: sentTo("To the only one, or to where this sign-in stands.") },
  } as const,
  {
    ...common,
    method: "get",
    path: "/login/restart",
    operationId: "restartLogin",
    summary: "Back to the first page, for another user",
    query,
    answers: { 302: sentTo("To the first page.") },
  } as const,
  ...codeFactor("totp", "a code of an authenticator app"),
  ...codeFactor("recovery", "a recovery code"),
  ...webauthn,
  {
    ...common,
    method: "get",
    path: "/logged_out",
    operationId: "loggedOutPage",
    summary: "The page that says that the session is over",
    answers: { 200: page("The page.") },
  } as const,
].flatMap((row) => pageOperations(row));
