import { Type } from "typebox";
import { emptyAnswer } from "../openapi/answers.ts";
import { defineOperation, type Operation, type OperationAnswer } from "../openapi/define-operation.ts";
import { AuthorizationForm, AuthorizationQuery, OauthError } from "./oauth.ts";

const common = { tag: "OIDC", audience: "idp", security: "none" } as const;
const form = "application/x-www-form-urlencoded";
const language = Type.Object({ languageTag: Type.String({ description: "BCP 47: `de`." }) });

const location = { Location: Type.String() };
const sentTo = (where: string): OperationAnswer => ({ ...emptyAnswer(where), headers: location });
/** Some have a line of HTML for people. */
const noted = (where: string): OperationAnswer => ({
  ...sentTo(where),
  content: { "text/html": Type.String() },
  bodyOptional: true,
});
const page = (description: string): OperationAnswer => ({ description, content: { "text/html": Type.String() } });
/** Programs that do not accept HTML get JSON. */
const problem = (description: string): OperationAnswer => ({
  description,
  content: { "text/html": Type.String(), "application/json": OauthError },
});

const authorizing: Operation["answers"] = {
  200: page("`response_mode=form_post`: a page that posts the answer to the client."),
  302: noted("To the sign-in, the consent, or back to the client with `code` or `error`, and `state`."),
  400: problem("The request is invalid, and must not go back to the client."),
  500: problem("A temporary failure."),
};

const bounded = Type.Optional(Type.String({ maxLength: 8192 }));
const logoutFields = {
  client_id: bounded,
  id_token_hint: bounded,
  post_logout_redirect_uri: bounded,
  state: bounded,
  ui_locales: Type.Optional(Type.String()),
};
const LogoutQuery = Type.Object(logoutFields);
const LogoutForm = Type.Object(
  { ...logoutFields, csrf_token: Type.Optional(Type.String({ description: "Of the page that asks." })) },
  { title: "LogoutRequest" },
);
const ending: Operation["answers"] = {
  302: sentTo("The session is over: to post_logout_redirect_uri with `state`, or to the page that says so."),
  400: page("The request is invalid."),
  500: problem("A temporary failure."),
};

const authorization: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "get",
    path: "/oidc/authorize",
    operationId: "authorize",
    summary: "Where a client sends the user's browser to sign in",
    request: { query: AuthorizationQuery },
    answers: authorizing,
  }),
  defineOperation({
    ...common,
    method: "post",
    path: "/oidc/authorize",
    operationId: "authorizePost",
    summary: "The same as a form",
    description: "It is answered with the redirect to the same request as a query, where that is short enough.",
    request: { body: { [form]: AuthorizationForm } },
    answers: authorizing,
  }),
  defineOperation({
    ...common,
    method: "get",
    path: "/oidc/authorize/{languageTag}",
    operationId: "authorizeInLanguage",
    summary: "Where a client sends the user's browser to sign in, in a language",
    request: { path: language, query: AuthorizationQuery },
    answers: {
      ...authorizing,
      404: { description: "That is no language tag.", content: { "application/json": OauthError } },
    },
  }),
];

function logout(path: string, operationId: string): readonly Operation[] {
  const get = defineOperation({
    ...common,
    method: "get",
    path,
    operationId,
    summary: "Signs the browser out",
    description: "Without a good id_token_hint of the user a page asks first (RP-Initiated Logout 1.0 §2).",
    request: { query: LogoutQuery },
    answers: { ...ending, 200: page("The page that asks.") },
  });
  const post = defineOperation({
    ...common,
    method: "post",
    path,
    operationId: `${operationId}Post`,
    summary: "The answer to the page that asks, or a client's own form",
    description: "A client's own form is answered with the redirect to the same request as a query.",
    request: { body: { [form]: LogoutForm } },
    answers: ending,
  });
  const unknown = page("The language is unknown.");
  return [get, post].flatMap((operation) => [
    operation,
    defineOperation({
      ...operation,
      path: `${path}/{languageTag}`,
      operationId: `${operation.operationId}InLanguage`,
      request: { ...operation.request, path: language },
      answers: { ...operation.answers, 404: unknown },
    }),
  ]);
}

/** Contract, "Identity provider: OIDC": where browsers come. */
export const oidcBrowserOperations: readonly Operation[] = [
  ...authorization,
  ...logout("/oidc/logout", "endSession"),
  ...logout("/logout", "logout"),
];
