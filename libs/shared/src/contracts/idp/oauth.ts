import { type TProperties, type TSchema, Type } from "typebox";
import { component } from "../schema.ts";

const text = Type.String();
const optional = Type.Optional(Type.String());
const seconds = Type.Integer({ minimum: 0, description: "Duration in seconds." });
const unixSeconds = Type.Integer({ description: "Seconds since the epoch." });

/** Credentials of a client that are not in `Authorization` (RFC 6749 §2.3.1, RFC 7523 §2.2). */
const clientFields = {
  client_id: optional,
  client_secret: optional,
  client_assertion_type: Type.Optional(Type.Literal("urn:ietf:params:oauth:client-assertion-type:jwt-bearer")),
  client_assertion: optional,
};

function form(fields: TProperties, title: string): TSchema {
  return Type.Object({ ...fields, ...clientFields }, { title });
}

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

export const TokenRequest = form(tokenFields, "TokenRequest");
/** The same as a query, of `GET /oidc/token`. */
export const TokenQuery = Type.Object({ ...tokenFields, ...clientFields });

export const TokenResponse = component("TokenResponse", {
  access_token: text,
  token_type: Type.Union([Type.Literal("Bearer"), Type.Literal("DPoP")]),
  expires_in: seconds,
  scope: optional,
  id_token: optional,
  refresh_token: optional,
  refresh_expires_in: Type.Optional(seconds),
});

export const TokenToJudge = form({ token: text, token_type_hint: optional }, "TokenToJudge");

const audience = Type.Union([text, Type.Array(text)]);

/** RFC 7662 §2.2; attributes that the site maps are beside these. */
export const Introspection = Type.Union(
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
      token_type: Type.Union([Type.Literal("Bearer"), Type.Literal("DPoP")]),
      cnf: Type.Optional(Type.Object({ jkt: optional, "x5t#S256": optional })),
    }),
  ],
  { title: "Introspection" },
);

/** OpenID Connect Core §5.3.2; claims of the granted scopes are beside `sub`. */
export const Userinfo = component("Userinfo", { sub: text, name: optional, email: optional });

export const DeviceRequest = form({ scope: optional }, "DeviceRequest");

/** RFC 8628 §3.2. */
export const DeviceResponse = component("DeviceResponse", {
  device_code: text,
  user_code: text,
  verification_uri: Type.String({ format: "uri" }),
  verification_uri_complete: Type.String({ format: "uri" }),
  expires_in: seconds,
  interval: seconds,
});

/** RFC 9126 §2.2. */
export const PushedResponse = component("PushedResponse", { request_uri: text, expires_in: seconds });

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
  response_mode: Type.Optional(Type.Union([Type.Literal("query"), Type.Literal("form_post")])),
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
export const PushedForm = component("PushedRequest", {
  ...authorizationFields,
  ...clientFields,
  request_uri: Type.Optional(Type.Never()),
});
