import { type TSchema, Type } from "typebox";
import { emptyAnswer, jsonAnswer } from "../operations/answers.ts";
import { defineOperation, type Operation, type OperationAnswer } from "../operations/define-operation.ts";
import { Discovery, Jwks } from "./discovery.ts";
import { oidcFamily, wellKnownFamily } from "./families.ts";
import {
  DeviceRequest,
  DeviceResponse,
  Introspection,
  OauthError,
  PushedForm,
  PushedResponse,
  TokenQuery,
  TokenRequest,
  TokenResponse,
  TokenToJudge,
  Userinfo,
} from "./oauth.ts";
import { registrationOperations } from "./registration-operations.ts";

const form = (schema: TSchema) => ({ body: { "application/x-www-form-urlencoded": schema } });
const refused = (description: string): OperationAnswer => jsonAnswer(description, OauthError);
const failed = refused("Temporary failure.");

const oidc = { family: oidcFamily, tag: "OIDC", audience: "idp" } as const;
const open = { ...oidc, method: "get", security: "none" } as const;
const ofClients = { ...oidc, method: "post", security: "oidc_client" } as const;
const ofTokens = { ...oidc, security: "access_token" } as const;

/** RFC 6749 §5.2. */
const clientAnswers = {
  400: refused("The request or the grant is invalid."),
  401: refused("Client authentication failed."),
  500: failed,
} as const;

const tokens = jsonAnswer("The tokens.", TokenResponse);
const claims: Operation["answers"] = {
  200: {
    description: "The claims; a JWT for a client that is registered for signed responses.",
    content: { "application/json": Userinfo, "application/jwt": Type.String() },
  },
  400: refused(
    "The request comes from a page of an origin that the client has not registered, or contains the token more than once.",
  ),
  401: refused("The token is missing, unknown, expired or revoked."),
  403: refused("The token lacks the scope openid."),
  500: failed,
};

const documents = [
  defineOperation({
    ...open,
    family: wellKnownFamily,
    path: "/.well-known/openid-configuration",
    operationId: "discovery",
    summary: "Get the OpenID Connect discovery document",
    answers: { 200: jsonAnswer("The discovery document.", Discovery), 500: failed },
  }),
  defineOperation({
    ...open,
    family: wellKnownFamily,
    path: "/.well-known/oauth-authorization-server",
    operationId: "authorizationServerMetadata",
    summary: "Get the authorization server metadata (RFC 8414)",
    answers: { 200: jsonAnswer("The discovery document.", Discovery), 500: failed },
  }),
  defineOperation({
    ...open,
    path: "/oidc/jwks",
    operationId: "jwks",
    summary: "Get the public keys that verify tokens",
    answers: { 200: { description: "The keys.", content: { "application/jwk-set+json": Jwks } }, 500: failed },
  }),
];

const ofClient = [
  defineOperation({
    ...ofClients,
    path: "/oidc/token",
    operationId: "token",
    summary: "Get tokens for a grant",
    request: form(TokenRequest),
    answers: { ...clientAnswers, 200: tokens },
  }),
  defineOperation({
    ...ofClients,
    method: "get",
    path: "/oidc/token",
    operationId: "tokenByQuery",
    summary: "Get tokens for a grant, by query",
    description: "Available only if identity.oidc.tokens.token_endpoint_allow_get is true.",
    request: { query: TokenQuery },
    answers: { ...clientAnswers, 200: tokens, 404: refused("The endpoint is disabled.") },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/introspect",
    operationId: "introspect",
    summary: "Introspect a token",
    description: "For clients without resource_server, tokens of other clients are reported as inactive.",
    request: form(TokenToJudge),
    answers: { ...clientAnswers, 200: jsonAnswer("State and claims of the token.", Introspection) },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/revoke",
    operationId: "revoke",
    summary: "Revoke a token, or the whole grant of a refresh token",
    request: form(TokenToJudge),
    answers: { ...clientAnswers, 200: emptyAnswer("The token is revoked, is unknown or belongs to another client.") },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/device",
    operationId: "deviceAuthorization",
    summary: "Start a device authorization",
    request: form(DeviceRequest),
    answers: { ...clientAnswers, 200: jsonAnswer("The codes.", DeviceResponse) },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/par",
    operationId: "pushAuthorization",
    summary: "Push an authorization request",
    request: form(PushedForm),
    answers: { ...clientAnswers, 201: jsonAnswer("URI of the pushed request.", PushedResponse) },
  }),
];

const ofUser = [
  defineOperation({
    ...ofTokens,
    method: "get",
    path: "/oidc/userinfo",
    operationId: "userinfo",
    summary: "Get the claims of the user of the token",
    answers: claims,
  }),
  defineOperation({
    ...ofTokens,
    method: "post",
    path: "/oidc/userinfo",
    operationId: "userinfoPost",
    summary: "Get the claims of the user of the token, with POST",
    description: "The token may also be sent in the form, as access_token.",
    answers: claims,
  }),
];

/** OIDC endpoints that clients call directly. */
export const oauthOperations = [...documents, ...ofClient, ...ofUser, ...registrationOperations];
