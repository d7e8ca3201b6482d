import { Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
import { OidcSessionList } from "./sessions.ts";

const family = defineFamily({
  name: "OIDC sessions",
  prefix: "/api/v1/oidc/sessions",
  owner: "idp",
  channel: "back",
  anyScope: operatorScopes,
});
const common = { family, tag: "OIDC sessions", audience: "management", security: "backchannel" } as const;
const segment = { minLength: 1, maxLength: 1024 };
const user_id = Type.String({
  ...segment,
  description:
    "Account name, or a `sub` if no account of that name is known. For the tokens of a client itself, the client.",
});
const token = Type.String({ ...segment, description: "`id` from the list, of a token or a browser session." });
const ended = emptyAnswer("The sessions have ended, or there were none.");
const forbidden = errorAnswer("The token lacks a required scope.");
const path = "/api/v1/oidc/sessions/{user_id}";
const ofUser = { 400: errorAnswer("user_id is missing or too long."), 403: forbidden, 500: temporaryFailure };

/** The path without a user. */
const withoutUser = {
  ...common,
  path: "/api/v1/oidc/sessions",
  summary: "Reject a request without user_id",
  undocumented: "the user_id of the documented path is missing, so that the response is always 400",
  answers: { 400: ofUser[400], 403: forbidden },
} as const;

/** Administration of OIDC sessions. */
export const oidcSessionOperations = [
  defineOperation({
    ...common,
    method: "get",
    path,
    operationId: "listOidcSessions",
    summary: "List the sessions of a user at clients",
    request: {
      path: Type.Object({ user_id }),
      query: Type.Object({
        browser: Type.Optional(
          Type.Enum(["true", "false"], {
            description: "If true, the response also contains browser_sessions: at most 100, newest first.",
          }),
        ),
      }),
    },
    answers: { ...ofUser, 200: jsonAnswer("The sessions, latest sign-in first.", OidcSessionList) },
  }),
  defineOperation({
    ...common,
    method: "delete",
    path,
    operationId: "deleteOidcSessions",
    summary: "End all sessions of a user",
    description: "All access and refresh tokens of the user become invalid.",
    request: { path: Type.Object({ user_id }) },
    answers: { ...ofUser, 204: ended },
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: `${path}/{token}`,
    operationId: "deleteOidcSession",
    summary: "End one session of a user",
    description:
      "Ends the token and everything issued under the same consent. For the id of a browser session, ends the browser's sign-in and everything that clients obtained through it.",
    request: { path: Type.Object({ user_id, token }) },
    answers: {
      204: ended,
      400: errorAnswer("user_id or token is missing or too long."),
      403: errorAnswer("The token lacks a required scope, or the session belongs to another user."),
      500: temporaryFailure,
    },
  }),
  defineOperation({ ...withoutUser, method: "get", operationId: "listOidcSessionsWithoutUser" }),
  defineOperation({ ...withoutUser, method: "delete", operationId: "deleteOidcSessionsWithoutUser" }),
];
