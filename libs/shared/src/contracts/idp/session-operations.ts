import { Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, temporaryFailure } from "../openapi/answers.ts";
import { defineOperation, type Operation } from "../openapi/define-operation.ts";
import { OidcSessionList } from "./sessions.ts";

const common = { tag: "OIDC sessions", audience: "management", security: "backchannel" } as const;
const segment = { minLength: 1, maxLength: 1024 };
const user_id = Type.String({ ...segment, description: "The `sub` of the user; of a client's own token, the client." });
const token = Type.String({ ...segment, description: "The `id` of the list." });
const ended = emptyAnswer("Done, also where nothing was to end.");
const forbidden = errorAnswer("The token lacks a scope.");
const path = "/api/v1/oidc/sessions/{user_id}";
const ofUser = { 400: errorAnswer("user_id is missing or too long."), 403: forbidden, 500: temporaryFailure };

/** Contract, "OIDC session administration". */
export const oidcSessionOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "get",
    path,
    operationId: "listOidcSessions",
    summary: "What the clients of a user hold",
    request: { path: Type.Object({ user_id }) },
    answers: { ...ofUser, 200: jsonAnswer("The sessions, the latest sign-in first.", OidcSessionList) },
  }),
  defineOperation({
    ...common,
    method: "delete",
    path,
    operationId: "deleteOidcSessions",
    summary: "Ends every session of a user",
    description: "All access and refresh tokens of the user die.",
    request: { path: Type.Object({ user_id }) },
    answers: { ...ofUser, 204: ended },
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: `${path}/{token}`,
    operationId: "deleteOidcSession",
    summary: "Ends one session of a user",
    description: "With the token goes everything of the same consent.",
    request: { path: Type.Object({ user_id, token }) },
    answers: {
      204: ended,
      400: errorAnswer("user_id or token is missing or too long."),
      403: errorAnswer("The token lacks a scope, or the session is another user's."),
      500: temporaryFailure,
    },
  }),
];
