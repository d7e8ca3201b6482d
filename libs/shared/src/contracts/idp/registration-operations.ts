import { Type } from "typebox";
import { emptyAnswer, jsonAnswer, jsonBody } from "../operations/answers.ts";
import { operationsWith } from "../operations/define-operation.ts";
import { oidcFamily, wellKnownFamily } from "./families.ts";
import { OauthError } from "./oauth.ts";
import { ProtectedResource, RegistrationRequest, RegistrationResponse, RegistrationUpdate } from "./registration.ts";

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

/** Dynamic registration of clients (RFC 7591), and what it serves. */
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
    answers: {
      200: jsonAnswer("The metadata.", ProtectedResource),
      404: refused("Mail clients cannot register."),
    },
  }),
];
