import { type Static, type TObject, Type } from "typebox";
import { maxUserNameLength } from "../auth/request.ts";
import {
  emptyAnswer,
  errorAnswer,
  jsonAnswer,
  jsonBody,
  operatorApi,
  temporaryFailure,
} from "../operations/answers.ts";
import { type HttpMethod, type Operation, operationsWith } from "../operations/define-operation.ts";
import { defineFamily } from "../operations/route-family.ts";
import { integer, text } from "../schema.ts";
import { Envelope } from "./flush-operations.ts";

/** Each hook has its own scopes, which the admin service checks. */
const family = defineFamily({
  name: "custom hooks",
  prefix: "/api/v1/custom",
  owner: "admin",
  channel: "back",
  anyScope: [],
});
const path: TObject = Type.Object({
  hookName: text("`http_location` of the hook, which may have several segments."),
});
const any = { "*/*": Type.Unknown() };
const answers: Operation["answers"] = {
  200: {
    description: "Response of the hook. The hook may set another status, content type and headers.",
    content: any,
    bodyOptional: true,
  },
  204: emptyAnswer("Empty response of the hook."),
  401: { ...errorAnswer("The hook is not public, and credentials are missing or wrong."), bodyOptional: true },
  403: errorAnswer("The hook or all hooks are disabled, or the token lacks a scope of the hook."),
  404: errorAnswer("No hook has this path and method."),
  429: emptyAnswer("The failure budget of the address is exhausted. Retry-After says when to try again."),
  500: temporaryFailure,
  503: emptyAnswer("The token cannot be verified at the moment. Retry-After says when to try again."),
};

const define = operationsWith({
  family,
  disabledBy: "custom_hooks",
  takesRest: true,
  tag: "Custom hooks",
  audience: "management",
  security: "hook",
});

function hook<const Id extends string>(method: HttpMethod, operationId: Id) {
  const request = { path, ...(method !== "get" && { body: any, bodyRequired: false }) };
  return define(method, "/api/v1/custom/{hookName}", operationId, { summary: "Run a custom hook", request, answers });
}

/** `ANY /api/v1/custom/{hookName}`: the site defines requests and answers. */
export const hookOperations = [
  hook("get", "getCustomHook"),
  hook("post", "postCustomHook"),
  hook("put", "putCustomHook"),
  hook("patch", "patchCustomHook"),
  hook("delete", "deleteCustomHook"),
];

/** `GET /api/v1/config/load`: the effective configuration as JSON in a string, with secrets masked. */
export const ConfigLoad = Envelope("config", "load", Type.String());
export type ConfigLoad = Static<typeof ConfigLoad>;

export const JwtTokenRequest = Type.Object({
  username: Type.String({ minLength: 1, maxLength: maxUserNameLength }),
  password: Type.String({ minLength: 1, maxLength: 4096 }),
});
export type JwtTokenRequest = Static<typeof JwtTokenRequest>;

export const JwtTokenResponse = Type.Object({
  token: Type.String(),
  expires_at: integer("Expiry, in seconds since the epoch."),
  refresh_token: Type.String(),
});
export type JwtTokenResponse = Static<typeof JwtTokenResponse>;

/** The configuration reveals more than any flush, so it needs an operator's scope. */
const configuration = operatorApi(
  { name: "configuration", prefix: "/api/v1/config", owner: "admin" },
  "Administration",
);
const jwt = operationsWith({
  family: defineFamily({
    name: "JWT endpoints",
    prefix: "/api/v1/jwt",
    owner: "admin",
    channel: "back",
    checksCredentials: true,
  }),
  tag: "Tokens",
  audience: "management",
  security: "none",
  disabledBy: "auth_jwt",
  answers: {
    200: jsonAnswer("The tokens.", JwtTokenResponse),
    404: errorAnswer("The endpoint is disabled."),
    429: emptyAnswer("Too many requests from this address. Retry-After says when to try again."),
    500: temporaryFailure,
  },
});
/** Longer than any name or password that is allowed, in any encoding. */
const tokenBodyBytes = 32_768;

const document = <const Id extends string>(format: "yaml" | "json", operationId: Id) => {
  const path = `/api/v1/openapi.${format}`;
  const document = operatorApi(
    { name: "management OpenAPI", prefix: path, owner: "admin", anyScope: [] },
    "Administration",
  );
  return document("get", path, operationId, {
    concerns: { of: "nobody" },
    summary: `Get this document as ${format.toUpperCase()}`,
    answers: { 200: { description: "The document.", content: { [`application/${format}`]: Type.Unknown() } } },
  });
};

export const adminOperations = [
  configuration("get", "/api/v1/config/load", "loadConfiguration", {
    disabledBy: "configuration",
    summary: "Get the effective configuration without secrets",
    answers: {
      200: jsonAnswer("The configuration as JSON in a string.", ConfigLoad),
      404: emptyAnswer("The endpoint is disabled."),
    },
  }),
  jwt("post", "/api/v1/jwt/token", "issueToken", {
    maxBodyBytes: tokenBodyBytes,
    takesPassword: true,
    summary: "Get tokens for a user name and password",
    request: jsonBody(JwtTokenRequest),
    answers: {
      400: errorAnswer("Malformed request."),
      401: errorAnswer("Wrong user name or password."),
      403: errorAnswer("The user has no role that permits anything."),
    },
  }),
  jwt("post", "/api/v1/jwt/refresh", "refreshToken", {
    summary: "Exchange a refresh token for new tokens",
    description: "Each refresh token can be used once. Using it again revokes all tokens of its family.",
    request: { headers: Type.Object({ "X-Refresh-Token": Type.String() }) },
    answers: {
      400: errorAnswer("X-Refresh-Token is missing."),
      401: errorAnswer("The refresh token is invalid, or was used or revoked."),
      403: errorAnswer("The user no longer has a role."),
    },
  }),
  document("yaml", "managementContractYaml"),
  document("json", "managementContractJson"),
];
