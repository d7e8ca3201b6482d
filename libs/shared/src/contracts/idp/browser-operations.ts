import { Type } from "typebox";
import { type Operation, type OperationAnswer, operationsWith } from "../operations/define-operation.ts";
import type { RouteFamily } from "../operations/route-family.ts";
import { component, optionalText } from "../schema.ts";
import { AuthorizationForm, AuthorizationQuery, OauthError } from "./oauth-operations.ts";
import {
  form,
  languageTag,
  logoutFamily,
  noted,
  oidcFamily,
  page,
  sentTo,
  unknownLanguage,
  withLanguage,
} from "./page-operation.ts";

const common = { tag: "OIDC", audience: "idp", security: "none" } as const;
const browser = operationsWith({ ...common, family: oidcFamily });

/** Programs that do not accept HTML get JSON. */
const problem = (description: string): OperationAnswer => ({
  description,
  content: { "text/html": Type.String(), "application/json": OauthError },
});

const authorizing: Operation["answers"] = {
  200: page(
    "A page that posts the response to the client (`response_mode=form_post`), or the form to this path again.",
  ),
  302: noted("Redirect to the sign-in, to the consent page, or to the client with `code` or `error` and `state`."),
  400: problem("The request is invalid and cannot be returned to the client."),
  500: problem("Temporary failure."),
};

const bounded = Type.Optional(Type.String({ maxLength: 8192 }));
const logoutFields = {
  client_id: bounded,
  id_token_hint: optionalText("ID token of the browser's session, which may have expired."),
  post_logout_redirect_uri: bounded,
  state: bounded,
  ui_locales: Type.Optional(Type.String()),
};
const LogoutQuery = Type.Object(logoutFields);
const LogoutForm = component("LogoutRequest", {
  ...logoutFields,
  csrf_token: optionalText("CSRF token of the confirmation page."),
});
const ending: Operation["answers"] = {
  302: sentTo("The session has ended. Redirect to post_logout_redirect_uri with `state`, or to the confirmation page."),
  400: page("The request is invalid."),
  500: problem("Temporary failure."),
};
const posting: Operation["answers"] = {
  ...ending,
  200: page("The confirmation page, or a page that posts the form to this path again."),
};

const authorization = [
  browser("get", "/oidc/authorize", "authorize", {
    summary: "Start an authorization (the client redirects the browser here)",
    request: { query: AuthorizationQuery },
    answers: authorizing,
  }),
  browser("post", "/oidc/authorize", "authorizePost", {
    summary: "Start an authorization by form",
    description:
      "The response redirects to the same request as a query, if it is short and contains neither `id_token_hint` nor `request`. Otherwise, without a session cookie, a page sends the form again, so that the browser adds its cookies.",
    request: form(AuthorizationForm),
    answers: authorizing,
  }),
  browser("get", "/oidc/authorize/{languageTag}", "authorizeInLanguage", {
    summary: "Start an authorization in a given language",
    request: { path: Type.Object({ languageTag }), query: AuthorizationQuery },
    answers: {
      ...authorizing,
      404: { description: "The path segment is not a language tag.", content: { "application/json": OauthError } },
    },
  }),
];

const checkSession = browser("get", "/oidc/check_session", "checkSession", {
  summary: "Get the page that clients open in a hidden frame to learn whether the session has changed",
  description:
    "OpenID Connect Session Management 1.0 §3.2. The page answers messages of its parent: `changed`, `unchanged` or `error`.",
  answers: {
    200: page("The page."),
    404: { description: "Session management is off.", content: { "application/json": OauthError } },
  },
});

function logout<const Path extends string, const Id extends string>(family: RouteFamily, path: Path, operationId: Id) {
  const define = operationsWith({ ...common, family });
  const get = define("get", path, operationId, {
    summary: "Sign the browser out",
    description:
      "Without a valid id_token_hint of the browser's session, a page asks for confirmation (RP-Initiated Logout 1.0 §2).",
    request: { query: LogoutQuery },
    answers: { ...ending, 200: page("The confirmation page.") },
  });
  const post = define("post", path, `${operationId}Post` as const, {
    summary: "Confirm the logout, or start a logout by form",
    description:
      "The form of a client is answered with a redirect to the same request as a query, if it is short and contains no `id_token_hint`. Otherwise, without a session cookie, a page sends the form again, so that the browser adds its cookies.",
    request: form(LogoutForm),
    answers: posting,
  });
  return [
    withLanguage(get, { answers: { ...get.answers, 404: unknownLanguage } }),
    withLanguage(post, { answers: { ...posting, 404: unknownLanguage } }),
  ] as const;
}

export const oidcBrowserOperations = [
  ...authorization,
  checkSession,
  ...logout(oidcFamily, "/oidc/logout", "endSession"),
  ...logout(logoutFamily, "/logout", "logout"),
];
