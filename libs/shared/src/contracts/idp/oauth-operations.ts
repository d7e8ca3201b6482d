import type { TSchema } from "typebox";
import { emptyAnswer, jsonAnswer } from "../openapi/answers.ts";
import { defineOperation, type Operation, type OperationAnswer } from "../openapi/define-operation.ts";
import { Discovery, Jwks } from "./discovery.ts";
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

const form = (schema: TSchema) => ({ body: { "application/x-www-form-urlencoded": schema } });
const refused = (description: string): OperationAnswer => jsonAnswer(description, OauthError);
const failed = refused("Nobody could decide: a temporary failure.");

const oidc = { tag: "OIDC", audience: "idp" } as const;
const open = { ...oidc, method: "get", security: "none" } as const;
const ofClients = { ...oidc, method: "post", security: "oidc_client" } as const;
const ofTokens = { ...oidc, security: "access_token" } as const;

/** RFC 6749 §5.2. */
const clientAnswers = {
  400: refused("The request or the grant is invalid."),
  401: refused("The client did not authenticate."),
  500: failed,
} as const;

const tokens = jsonAnswer("The tokens.", TokenResponse);
const claims: Operation["answers"] = {
  200: jsonAnswer("The claims.", Userinfo),
  401: refused("The token is missing, unknown, expired or revoked."),
  403: refused("The token lacks the scope openid."),
  500: failed,
};

const documents: readonly Operation[] = [
  defineOperation({
    ...open,
    path: "/.well-known/openid-configuration",
    operationId: "discovery",
    summary: "What this issuer can do, and where",
    answers: { 200: jsonAnswer("The discovery document.", Discovery), 500: failed },
  }),
  defineOperation({
    ...open,
    path: "/.well-known/oauth-authorization-server",
    operationId: "authorizationServerMetadata",
    summary: "The same, for clients of RFC 8414",
    answers: { 200: jsonAnswer("The discovery document.", Discovery), 500: failed },
  }),
  defineOperation({
    ...open,
    path: "/oidc/jwks",
    operationId: "jwks",
    summary: "The public keys of tokens",
    answers: { 200: { description: "The keys.", content: { "application/jwk-set+json": Jwks } }, 500: failed },
  }),
];

const ofClient: readonly Operation[] = [
  defineOperation({
    ...ofClients,
    path: "/oidc/token",
    operationId: "token",
    summary: "Tokens for a grant",
    request: form(TokenRequest),
    answers: { ...clientAnswers, 200: tokens },
  }),
  defineOperation({
    ...ofClients,
    method: "get",
    path: "/oidc/token",
    operationId: "tokenByQuery",
    summary: "Tokens for a grant, asked for by query",
    description: "Only where identity.oidc.tokens.token_endpoint_allow_get is on.",
    request: { query: TokenQuery },
    answers: { ...clientAnswers, 200: tokens, 404: refused("It is off.") },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/introspect",
    operationId: "introspect",
    summary: "Whether a token is good, and whose it is",
    description: "A token of another client is not active for who is no resource server.",
    request: form(TokenToJudge),
    answers: { ...clientAnswers, 200: jsonAnswer("What is known of it.", Introspection) },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/revoke",
    operationId: "revoke",
    summary: "Ends a token; with a refresh token, all of its grant",
    request: form(TokenToJudge),
    answers: { ...clientAnswers, 200: emptyAnswer("Done, also where the token was unknown or another client's.") },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/device",
    operationId: "deviceAuthorization",
    summary: "Codes for a device without browser",
    request: form(DeviceRequest),
    answers: { ...clientAnswers, 200: jsonAnswer("The codes.", DeviceResponse) },
  }),
  defineOperation({
    ...ofClients,
    path: "/oidc/par",
    operationId: "pushAuthorization",
    summary: "Leaves an authorization request here, to be named by its address",
    request: form(PushedForm),
    answers: { ...clientAnswers, 201: jsonAnswer("The request's name.", PushedResponse) },
  }),
];

const ofUser: readonly Operation[] = [
  defineOperation({
    ...ofTokens,
    method: "get",
    path: "/oidc/userinfo",
    operationId: "userinfo",
    summary: "The claims of the user whose token this is",
    answers: claims,
  }),
  defineOperation({
    ...ofTokens,
    method: "post",
    path: "/oidc/userinfo",
    operationId: "userinfoPost",
    summary: "The claims of the user whose token this is",
    description: "The token may be in the form, as access_token.",
    answers: claims,
  }),
];

/** Contract, "Identity provider: OIDC": what clients ask by themselves. */
export const oauthOperations: readonly Operation[] = [...documents, ...ofClient, ...ofUser];
