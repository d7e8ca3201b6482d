import { Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";
import { RegisteredClientList } from "./registration-operations.ts";

const registeredClients = operatorApi(
  { name: "registered OIDC clients", prefix: "/api/v1/oidc/clients", owner: "idp" },
  "OIDC clients",
  { 403: errorAnswer("The token lacks a required scope.") },
);

/** Administration of the clients that registered themselves. */
export const registeredClientOperations = [
  registeredClients("get", "/api/v1/oidc/clients", "listRegisteredClients", {
    summary: "List the clients that registered themselves",
    description: "At most 100, the next to expire first. `next` is the position of the next page.",
    request: { query: Type.Object({ position: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })) }) },
    answers: {
      200: jsonAnswer("The clients.", RegisteredClientList),
      400: errorAnswer("position is not a number."),
    },
  }),
  registeredClients("delete", "/api/v1/oidc/clients/{client_id}", "deleteRegisteredClient", {
    summary: "Delete a client that registered itself, and revoke its tokens",
    request: { path: Type.Object({ client_id: Type.String({ minLength: 1, maxLength: 200 }) }) },
    answers: {
      204: emptyAnswer("The client is deleted and its tokens are revoked."),
      404: errorAnswer("No client has registered itself with this ID."),
    },
  }),
];
