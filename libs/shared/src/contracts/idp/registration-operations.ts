import { Type } from "typebox";
import { emptyAnswer, jsonAnswer } from "../operations/answers.ts";
import { defineOperation } from "../operations/define-operation.ts";
import { oidcFamily, wellKnownFamily } from "./families.ts";
import { OauthError } from "./oauth.ts";
import { ProtectedResource, RegistrationRequest, RegistrationResponse, RegistrationUpdate } from "./registration.ts";

const failed = jsonAnswer("Temporary failure.", OauthError);

/** A client with its registration access token. */
const managed = {
  family: oidcFamily,
  tag: "OIDC",
  audience: "idp",
  security: "none",
  path: "/oidc/register/{client_id}",
  description: "The registration access token is sent as Bearer token.",
  request: { path: Type.Object({ client_id: Type.String({ minLength: 1, maxLength: 200 }) }) },
} as const;

const refusals = {
  401: jsonAnswer("The registration access token is wrong, or the client does not exist.", OauthError),
  500: failed,
  503: jsonAnswer("Temporary failure.", OauthError),
};

/** Dynamic registration of clients (RFC 7591), and what it serves. */
export const registrationOperations = [
  defineOperation({
    family: oidcFamily,
    tag: "OIDC",
    audience: "idp",
    security: "none",
    method: "post",
    path: "/oidc/register",
    operationId: "registerClient",
    summary: "Register a client (RFC 7591)",
    description:
      "Available if identity.oidc.dynamic_registration.enabled or identity.oidc.mail_registration.enabled is true. If initial access tokens are required, one of them is sent as Bearer token.",
    maxBodyBytes: 32_768,
    request: { body: { "application/json": RegistrationRequest } },
    answers: {
      201: jsonAnswer("The registration.", RegistrationResponse),
      400: jsonAnswer("The metadata is invalid or not permitted.", OauthError),
      401: jsonAnswer("The initial access token is missing or wrong.", OauthError),
      404: jsonAnswer("Clients cannot register.", OauthError),
      429: jsonAnswer("Too many registrations from this network.", OauthError),
      500: failed,
      503: jsonAnswer("There are too many registrations, or a temporary failure.", OauthError),
    },
  }),
  defineOperation({
    ...managed,
    method: "get",
    operationId: "readClientRegistration",
    summary: "Get the registration of a client (RFC 7592)",
    answers: { 200: jsonAnswer("The registration.", RegistrationResponse), ...refusals },
  }),
  defineOperation({
    ...managed,
    method: "put",
    operationId: "updateClientRegistration",
    summary: "Replace the metadata of a client (RFC 7592)",
    maxBodyBytes: 32_768,
    request: { ...managed.request, body: { "application/json": RegistrationUpdate } },
    answers: {
      200: jsonAnswer("The registration.", RegistrationResponse),
      400: jsonAnswer("The metadata is invalid or not permitted.", OauthError),
      ...refusals,
    },
  }),
  defineOperation({
    ...managed,
    method: "delete",
    operationId: "deleteClientRegistration",
    summary: "Delete the registration of a client, and revoke its tokens (RFC 7592)",
    answers: { 204: emptyAnswer("The client is deleted and its tokens are revoked."), ...refusals },
  }),
  defineOperation({
    family: wellKnownFamily,
    tag: "OIDC",
    audience: "idp",
    security: "none",
    method: "get",
    path: "/.well-known/oauth-protected-resource",
    operationId: "protectedResourceMetadata",
    summary: "Get the metadata of the mail services as a protected resource (RFC 9728)",
    answers: {
      200: jsonAnswer("The metadata.", ProtectedResource),
      404: jsonAnswer("Mail clients cannot register.", OauthError),
      500: failed,
    },
  }),
];
