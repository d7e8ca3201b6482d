import { Type } from "typebox";
import { emptyAnswer, jsonAnswer, jsonBody } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { component, integer, object, optionalText } from "../schema.ts";
import { OauthError } from "./oauth-operations.ts";
import { oidcFamily, wellKnownFamily } from "./page-operation.ts";

const optional = Type.Optional(Type.String());
const words = Type.Array(Type.String());

const uris = Type.Array(Type.String({ maxLength: 512 }), { maxItems: 10 });
const flag = Type.Optional(Type.Boolean());
const jwks = Type.Optional(object("Public keys (RFC 7517).", {}));

const metadata = {
  client_name: optional,
  token_endpoint_auth_method: optional,
  application_type: optional,
  grant_types: Type.Optional(words),
  response_types: Type.Optional(words),
  scope: optional,
  software_id: optional,
  software_version: optional,
  post_logout_redirect_uris: Type.Optional(uris),
  jwks,
  jwks_uri: optional,
  policy_uri: optional,
  tos_uri: optional,
  initiate_login_uri: optional,
  id_token_signed_response_alg: optional,
  userinfo_signed_response_alg: optional,
  default_max_age: Type.Optional(integer("Seconds.")),
  request_object_signing_alg: optional,
  request_uris: Type.Optional(uris),
  require_signed_request_object: flag,
  require_pushed_authorization_requests: flag,
  dpop_bound_access_tokens: flag,
};

/** RFC 7591 §2; the request may contain more members, which are ignored. */
export const RegistrationRequest = component("RegistrationRequest", {
  redirect_uris: Type.Optional(uris),
  ...metadata,
});

/** RFC 7592 §2.2: all metadata, and the client that it is for. */
export const RegistrationUpdate = component("RegistrationUpdate", {
  client_id: Type.String(),
  client_secret: optional,
  redirect_uris: Type.Optional(uris),
  ...metadata,
});

/** RFC 7591 §3.2.1, RFC 7592 §3. */
export const RegistrationResponse = component("RegistrationResponse", {
  client_id: Type.String(),
  client_id_issued_at: integer("Seconds since the epoch."),
  client_secret: optional,
  client_secret_expires_at: Type.Optional(integer("0: it does not expire on its own.")),
  registration_access_token: optionalText("Token for the registration_client_uri. Mail clients receive none."),
  registration_client_uri: optional,
  redirect_uris: words,
  ...metadata,
});

/** RFC 9728 §2. */
export const ProtectedResource = component("ProtectedResource", {
  resource: Type.String({ format: "uri" }),
  authorization_servers: words,
  scopes_supported: words,
  bearer_methods_supported: words,
});

const refused = (description: string) => jsonAnswer(description, OauthError);
const failed = refused("Temporary failure.");
const common = { family: oidcFamily, tag: "OIDC", audience: "idp", security: "none" } as const;
const oidc = operationsWith({ ...common, answers: { 500: failed } });

const client = { path: Type.Object({ client_id: Type.String({ minLength: 1, maxLength: 200 }) }) };
const managedPath = "/oidc/register/{client_id}";
/** Operations of a client with its registration access token. */
const managed = operationsWith({
  ...common,
  description: "The registration access token is sent as Bearer token.",
  request: client,
  answers: {
    401: refused("The registration access token is wrong, or the client does not exist."),
    500: failed,
    503: failed,
  },
});

export const registrationOperations = [
  oidc("post", "/oidc/register", "registerClient", {
    summary: "Register a client (RFC 7591)",
    description:
      "Available if identity.oidc.dynamic_registration.enabled or identity.oidc.mail_registration.enabled is true. If initial access tokens are required, one of them is sent as Bearer token.",
    maxBodyBytes: 32_768,
    request: jsonBody(RegistrationRequest),
    answers: {
      201: jsonAnswer("The registration.", RegistrationResponse),
      400: refused("The metadata is invalid or not permitted."),
      401: refused("The initial access token is missing or wrong."),
      404: refused("Clients cannot register."),
      429: refused("Too many registrations from this network."),
      503: refused("There are too many registrations, or a temporary failure."),
    },
  }),
  managed("get", managedPath, "readClientRegistration", {
    summary: "Get the registration of a client (RFC 7592)",
    answers: { 200: jsonAnswer("The registration.", RegistrationResponse) },
  }),
  managed("put", managedPath, "updateClientRegistration", {
    summary: "Replace the metadata of a client (RFC 7592)",
    maxBodyBytes: 32_768,
    request: { ...client, ...jsonBody(RegistrationUpdate) },
    answers: {
      200: jsonAnswer("The registration.", RegistrationResponse),
      400: refused("The metadata is invalid or not permitted."),
    },
  }),
  managed("delete", managedPath, "deleteClientRegistration", {
    summary: "Delete the registration of a client, and revoke its tokens (RFC 7592)",
    answers: { 204: emptyAnswer("The client is deleted and its tokens are revoked.") },
  }),
  oidc("get", "/.well-known/oauth-protected-resource", "protectedResourceMetadata", {
    family: wellKnownFamily,
    summary: "Get the metadata of the mail services as a protected resource (RFC 9728)",
    answers: { 200: jsonAnswer("The metadata.", ProtectedResource), 404: refused("Mail clients cannot register.") },
  }),
];
