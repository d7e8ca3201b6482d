import { Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, temporaryFailure } from "../operations/answers.ts";
import { defineOperation, type Operation } from "../operations/define-operation.ts";
import { defineFamily, operatorScopes } from "../operations/route-family.ts";
import { ConfigLoad } from "./config-load.ts";
import { JwtTokenRequest, JwtTokenResponse } from "./jwt.ts";

/** The configuration reveals more than any flush, so it needs an operator's scope. */
const configuration = defineFamily({
  name: "configuration",
  prefix: "/api/v1/config",
  owner: "admin",
  channel: "back",
  anyScope: operatorScopes,
});
const jwt = defineFamily({
  name: "JWT endpoints",
  prefix: "/api/v1/jwt",
  owner: "admin",
  channel: "back",
  checksCredentials: true,
});
const common = { tag: "Administration", audience: "management" } as const;
/** Longer than any name or password that is allowed, in any encoding. */
const tokenBodyBytes = 32_768;

const document = <const Id extends string>(format: "yaml" | "json", operationId: Id) => {
  const path = `/api/v1/openapi.${format}`;
  return defineOperation({
    ...common,
    family: defineFamily({ name: "management OpenAPI", prefix: path, owner: "admin", channel: "back", anyScope: [] }),
    method: "get",
    path,
    operationId,
    summary: `Get this document as ${format.toUpperCase()}`,
    security: "backchannel",
    answers: {
      200: { description: "The document.", content: { [`application/${format}`]: Type.Unknown() } },
      500: temporaryFailure,
    },
  });
};

const jwtAnswers: Operation["answers"] = {
  200: jsonAnswer("The tokens.", JwtTokenResponse),
  404: errorAnswer("The endpoint is disabled."),
  429: emptyAnswer("Too many requests from this address. Retry-After says when to try again."),
  500: temporaryFailure,
};

export const adminOperations = [
  defineOperation({
    ...common,
    family: configuration,
    disabledBy: "configuration",
    method: "get",
    path: "/api/v1/config/load",
    operationId: "loadConfiguration",
    summary: "Get the effective configuration without secrets",
    security: "backchannel",
    answers: {
      200: jsonAnswer("The configuration as JSON in a string.", ConfigLoad),
      404: emptyAnswer("The endpoint is disabled."),
      500: temporaryFailure,
    },
  }),
  defineOperation({
    ...common,
    family: jwt,
    disabledBy: "auth_jwt",
    maxBodyBytes: tokenBodyBytes,
    takesPassword: true,
    tag: "Tokens",
    method: "post",
    path: "/api/v1/jwt/token",
    operationId: "issueToken",
    summary: "Get tokens for a user name and password",
    security: "none",
    request: { body: { "application/json": JwtTokenRequest } },
    answers: {
      ...jwtAnswers,
      400: errorAnswer("Malformed request."),
      401: errorAnswer("Wrong user name or password."),
      403: errorAnswer("The user has no role that permits anything."),
    },
  }),
  defineOperation({
    ...common,
    family: jwt,
    disabledBy: "auth_jwt",
    tag: "Tokens",
    method: "post",
    path: "/api/v1/jwt/refresh",
    operationId: "refreshToken",
    summary: "Exchange a refresh token for new tokens",
    description: "Each refresh token can be used once. Using it again revokes all tokens of its family.",
    security: "none",
    request: { headers: Type.Object({ "X-Refresh-Token": Type.String() }) },
    answers: {
      ...jwtAnswers,
      400: errorAnswer("X-Refresh-Token is missing."),
      401: errorAnswer("The refresh token is invalid, or was used or revoked."),
      403: errorAnswer("The user no longer has a role."),
    },
  }),
  document("yaml", "managementContractYaml"),
  document("json", "managementContractJson"),
];
