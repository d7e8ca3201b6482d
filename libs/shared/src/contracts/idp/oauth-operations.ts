import { type TProperties, Type } from "typebox";
import { emptyAnswer, jsonAnswer } from "../operations/answers.ts";
import { type Operation, type OperationAnswer, operationsWith } from "../operations/define-operation.ts";
import { component, oneOf } from "../schema.ts";
import { form, oidcFamily, wellKnownFamily } from "./page-operation.ts";

const text = Type.String();
const optional = Type.Optional(Type.String());
const url = Type.String({ format: "uri" });
const words = Type.Array(Type.String());

/** OpenID Connect Discovery 1.0 §3, RFC 8414; the document contains more members than these. */
const Discovery = component("Discovery", {
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  introspection_endpoint: url,
  revocation_endpoint: url,
  userinfo_endpoint: url,
  jwks_uri: url,
  end_session_endpoint: url,
  device_authorization_endpoint: url,
  pushed_authorization_request_endpoint: url,
  response_types_supported: words,
  response_modes_supported: words,
  grant_types_supported: words,
  scopes_supported: words,
  claims_supported: words,
  token_endpoint_auth_methods_supported: words,
  code_challenge_methods_supported: words,
});

/** RFC 7517 §5: public keys only. */
const Jwks = component("Jwks", {
  keys: Type.Array(
    component("Jwk", {
      kty: Type.String(),
      kid: Type.String(),
      use: optional,
      alg: optional,
      n: optional,
      e: optional,
      crv: optional,
      x: optional,
      y: optional,
    }),
  ),
});

const seconds = Type.Integer({ minimum: 0, description: "Duration in seconds." });
const unixSeconds = Type.Integer({ description: "Seconds since the epoch." });

/** Credentials of a client that are not in `Authorization` (RFC 6749 §2.3.1, RFC 7523 §2.2). */
const clientFields = {
  client_id: optional,
  client_secret: optional,
  client_assertion_type: Type.Optional(Type.Literal("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")),
  client_assertion: optional,
};

const clientForm = (title: string, fields: TProperties) => component(title, { ...fields, ...clientFields });

/** RFC 6749 §5.2. */
export const OauthError = component("OauthError", { error: text, error_description: optional });

const tokenFields = {
  grant_type: Type.Union(
    ["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"].map(
      (grant) => Type.Literal(grant),
    ),
  ),
  code: optional,
  redirect_uri: optional,
  code_verifier: optional,
  refresh_token: optional,
  device_code: optional,
  scope: optional,
};

const TokenRequest = clientForm("TokenRequest", tokenFields);
const TokenQuery = Type.Object({ ...tokenFields, ...clientFields });

const TokenResponse = component("TokenResponse", {
  access_token: text,
  token_type: oneOf("Bearer", "DPoP"),
  expires_in: seconds,
  scope: optional,
  id_token: optional,
  refresh_token: optional,
  refresh_expires_in: Type.Optional(seconds),
});

const TokenToJudge = clientForm("TokenToJudge", { token: text, token_type_hint: optional });

const audience = Type.Union([text, Type.Array(text)]);

/** RFC 7662 §2.2; attributes that the site maps are beside these. */
const Introspection = Type.Union(
  [
    Type.Object({ active: Type.Literal(false) }),
    Type.Object({
      active: Type.Literal(true),
      iss: text,
      sub: text,
      aud: audience,
      client_id: text,
      username: optional,
      email: optional,
      scope: text,
      exp: unixSeconds,
      iat: unixSeconds,
      token_type: oneOf("Bearer", "DPoP"),
      cnf: Type.Optional(Type.Object({ jkt: optional, "x5t#S256": optional })),
    }),
  ],
  { title: "Introspection" },
);

/** OpenID Connect Core §5.3.2; claims of the granted scopes are beside `sub`. */
const Userinfo = component("Userinfo", { sub: text, name: optional, email: optional });

const DeviceRequest = clientForm("DeviceRequest", { scope: optional });

/** RFC 8628 §3.2. */
const DeviceResponse = component("DeviceResponse", {
  device_code: text,
  user_code: text,
  verification_uri: Type.String({ format: "uri" }),
  verification_uri_complete: Type.String({ format: "uri" }),
  expires_in: seconds,
  interval: seconds,
});

/** RFC 9126 §2.2. */
const PushedResponse = component("PushedResponse", { request_uri: text, expires_in: seconds });

/** RFC 6749 §4.1.1, RFC 7636 §4.3, OpenID Connect Core §3.1.2.1. A pushed request is `client_id` and `request_uri`. */
const authorizationFields = {
  response_type: Type.Optional(Type.Literal("code")),
  client_id: text,
  redirect_uri: optional,
  scope: Type.Optional(Type.String({ description: "Scopes, separated by spaces." })),
  state: Type.Optional(Type.String({ maxLength: 2048 })),
  nonce: optional,
  code_challenge: optional,
  code_challenge_method: Type.Optional(Type.Literal("S256")),
  response_mode: Type.Optional(oneOf("query", "form_post")),
  prompt: optional,
  max_age: optional,
  ui_locales: optional,
  login_hint: optional,
  acr_values: optional,
  claims: optional,
  resource: optional,
  request_uri: Type.Optional(Type.String({ description: "URI of a pushed request (RFC 9126)." })),
};

export const AuthorizationQuery = Type.Object(authorizationFields);
export const AuthorizationForm = component("AuthorizationRequest", authorizationFields);
const PushedForm = component("PushedRequest", {
  ...authorizationFields,
  ...clientFields,
  request_uri: Type.Optional(Type.Never()),
});

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

export const oauthOperations = [...documents, ...ofClient, ...ofUser];
