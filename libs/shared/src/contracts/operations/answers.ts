import { type TProperties, type TSchema, Type } from "typebox";
import { component, text } from "../schema.ts";
import { type CommonMembers, type OperationAnswer, operationsWith } from "./define-operation.ts";
import { defineFamily, operatorScopes, type RouteFamily } from "./route-family.ts";

export const ErrorBody = component(
  "Error",
  { error: text("Error message, for people to read.") },
  { description: "An error." },
);

export function jsonAnswer(description: string, schema: TSchema): OperationAnswer {
  return { description, content: { "application/json": schema } };
}

export function emptyAnswer(description: string): OperationAnswer {
  return { description };
}

export function errorAnswer(description: string): OperationAnswer {
  return jsonAnswer(description, ErrorBody);
}

export const temporaryFailure = errorAnswer("Temporary failure.");

export function jsonBody(schema: TSchema) {
  return { body: { "application/json": schema } };
}

export function queryOf(fields: TProperties) {
  return { query: Type.Object(fields) };
}

export function pathOf(fields: TProperties) {
  return { path: Type.Object(fields) };
}

/** What the operations of API callers have in common. */
export function backchannel(family: RouteFamily, tag: string): CommonMembers {
  return { family, tag, audience: "management", security: "backchannel" };
}

/** Defines the operations below a prefix of the back channel. Callers need a scope of operators, unless a row says otherwise. */
export function operatorApi(
  place: Pick<RouteFamily, "name" | "prefix" | "owner"> & Partial<RouteFamily>,
  tag: string,
  answers: CommonMembers["answers"] = {},
) {
  const family = defineFamily({ channel: "back", anyScope: operatorScopes, ...place });
  return operationsWith({ ...backchannel(family, tag), answers: { 500: temporaryFailure, ...answers } });
}
