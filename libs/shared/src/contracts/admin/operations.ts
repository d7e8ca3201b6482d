import { Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, temporaryFailure } from "../openapi/answers.ts";
import { defineOperation, type Operation } from "../openapi/define-operation.ts";
import { ConfigLoad } from "./config-load.ts";
import { JwtTokenRequest, JwtTokenResponse } from "./jwt.ts";

const common = { tag: "Administration", audience: "management" } as const;

const document = (format: "yaml" | "json", schema: ReturnType<typeof Type.Unknown>, type: string) =>
  defineOperation({
    ...common,
    method: "get",
    path: `/api/v1/openapi.${format}`,
    operationId: format === "yaml" ? "managementContractYaml" : "managementContractJson",
    summary: `This document, as ${format.toUpperCase()}`,
    security: "backchannel",
    answers: { 200: { description: "The document.", content: { [type]: schema } }, 500: temporaryFailure },
  });

const jwtAnswers: Operation["answers"] = {
  200: jsonAnswer("Tokens.", JwtTokenResponse),
  404: errorAnswer("The endpoint is switched off."),
  429: emptyAnswer("Too many requests of this address; Retry-After says when to come again."),
  500: temporaryFailure,
};

export const adminOperations: readonly Operation[] = [
  defineOperation({
    ...common,
    method: "get",
    path: "/api/v1/config/load",
    operationId: "loadConfiguration",
    summary: "The configuration in effect, without secrets",
    security: "backchannel",
    answers: {
      200: jsonAnswer("The configuration, as JSON in a string.", ConfigLoad),
      404: emptyAnswer("The endpoint is switched off."),
      500: temporaryFailure,
    },
  }),
  defineOperation({
    ...common,
    tag: "Tokens",
    method: "post",
    path: "/api/v1/jwt/token",
    operationId: "issueToken",
    summary: "Tokens for an operator's name and password",
    security: "none",
    request: { body: { "application/json": JwtTokenRequest } },
    answers: {
      ...jwtAnswers,
      400: errorAnswer("The request is none."),
      401: errorAnswer("Wrong name or password."),
      403: errorAnswer("A user without a role that may do anything."),
    },
  }),
  defineOperation({
    ...common,
    tag: "Tokens",
    method: "post",
    path: "/api/v1/jwt/refresh",
    operationId: "refreshToken",
    summary: "New tokens for a refresh token, which is used up",
    description: "A refresh token that comes a second time revokes all tokens of its family.",
    security: "none",
    request: { headers: Type.Object({ "X-Refresh-Token": Type.String() }) },
    answers: {
      ...jwtAnswers,
      400: errorAnswer("X-Refresh-Token is missing."),
      401: errorAnswer("No refresh token, or one that was used or revoked."),
      403: errorAnswer("The user has no role any more."),
    },
  }),
  document("yaml", Type.Unknown(), "application/yaml"),
  document("json", Type.Unknown(), "application/json"),
];
