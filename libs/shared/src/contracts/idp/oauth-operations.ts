import { Type } from "typebox";
import { emptyAnswer, jsonAnswer } from "../operations/answers.ts";
import { type Operation, type OperationAnswer, operationsWith } from "../operations/define-operation.ts";
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
import { form } from "./page-operation.ts";
import { registrationOperations } from "./registration-operations.ts";

const refused = (description: string): OperationAnswer => jsonAnswer(description, OauthError);
const failed = refused("Temporary failure.");

const oidc = { family: oidcFamily, tag: "OIDC", audience: "idp" } as const;
const open = operationsWith({ ...oidc, security: "none", answers: { 500: failed } });
const ofTokens = operationsWith({ ...oidc, security: "access_token" });
const ofClients = operationsWith({
  ...oidc,
  security: "oidc_client",
  // RFC 6749 §5.2.
  answers: {
    400: refused("The request or the grant is invalid."),
    401: refused("Client authentication failed."),
    500: failed,
  },
});

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
  open("get", "/.well-known/openid-configuration", "discovery", {
    family: wellKnownFamily,
    summary: "Get the OpenID Connect discovery document",
    answers: { 200: jsonAnswer("The discovery document.", Discovery) },
  }),
  open("get", "/.well-known/oauth-authorization-server", "authorizationServerMetadata", {
    family: wellKnownFamily,
    summary: "Get the authorization server metadata (RFC 8414)",
    answers: { 200: jsonAnswer("The discovery document.", Discovery) },
  }),
  open("get", "/oidc/jwks", "jwks", {
    summary: "Get the public keys that verify tokens",
    answers: { 200: { description: "The keys.", content: { "application/jwk-set+json": Jwks } } },
  }),
];

const ofClient = [
  ofClients("post", "/oidc/token", "token", {
    summary: "Get tokens for a grant",
    request: form(TokenRequest),
    answers: { 200: tokens },
  }),
  ofClients("get", "/oidc/token", "tokenByQuery", {
    summary: "Get tokens for a grant, by query",
    description: "Available only if identity.oidc.tokens.token_endpoint_allow_get is true.",
    request: { query: TokenQuery },
    answers: { 200: tokens, 404: refused("The endpoint is disabled.") },
  }),
  ofClients("post", "/oidc/introspect", "introspect", {
    summary: "Introspect a token",
    description: "For clients without resource_server, tokens of other clients are reported as inactive.",
    request: form(TokenToJudge),
    answers: { 200: jsonAnswer("State and claims of the token.", Introspection) },
  }),
  ofClients("post", "/oidc/revoke", "revoke", {
    summary: "Revoke a token, or the whole grant of a refresh token",
    request: form(TokenToJudge),
    answers: { 200: emptyAnswer("The token is revoked, is unknown or belongs to another client.") },
  }),
  ofClients("post", "/oidc/device", "deviceAuthorization", {
    summary: "Start a device authorization",
    request: form(DeviceRequest),
    answers: { 200: jsonAnswer("The codes.", DeviceResponse) },
  }),
  ofClients("post", "/oidc/par", "pushAuthorization", {
    summary: "Push an authorization request",
    request: form(PushedForm),
    answers: { 201: jsonAnswer("URI of the pushed request.", PushedResponse) },
  }),
];

const ofUser = [
  ofTokens("get", "/oidc/userinfo", "userinfo", {
    summary: "Get the claims of the user of the token",
    answers: claims,
  }),
  ofTokens("post", "/oidc/userinfo", "userinfoPost", {
    summary: "Get the claims of the user of the token, with POST",
    description: "The token may also be sent in the form, as access_token.",
    answers: claims,
  }),
];

/** OIDC endpoints that clients call directly. */
export const oauthOperations = [...documents, ...ofClient, ...ofUser, ...registrationOperations];
