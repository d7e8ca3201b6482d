import { Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
import { RegisteredClientList } from "./registration.ts";

const family = defineFamily({
  name: "registered OIDC clients",
  prefix: "/api/v1/oidc/clients",
  owner: "idp",
  channel: "back",
  anyScope: operatorScopes,
});
const common = { family, tag: "OIDC clients", audience: "management", security: "backchannel" } as const;
const forbidden = errorAnswer("The token lacks a required scope.");

/** Administration of the clients that registered themselves. */
export const registeredClientOperations = [
  defineOperation({
    ...common,
    method: "get",
    path: "/api/v1/oidc/clients",
    operationId: "listRegisteredClients",
    summary: "List the clients that registered themselves",
    description: "At most 100, the next to expire first. `next` is the position of the next page.",
    request: { query: Type.Object({ position: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })) }) },
    answers: {
      200: jsonAnswer("The clients.", RegisteredClientList),
      400: errorAnswer("position is not a number."),
      403: forbidden,
      500: temporaryFailure,
    },
  }),
  defineOperation({
    ...common,
    method: "delete",
    path: "/api/v1/oidc/clients/{client_id}",
    operationId: "deleteRegisteredClient",
    summary: "Delete a client that registered itself, and revoke its tokens",
    request: { path: Type.Object({ client_id: Type.String({ minLength: 1, maxLength: 200 }) }) },
    answers: {
      204: emptyAnswer("The client is deleted and its tokens are revoked."),
      403: forbidden,
      404: errorAnswer("No client has registered itself with this ID."),
      500: temporaryFailure,
    },
  }),
];
