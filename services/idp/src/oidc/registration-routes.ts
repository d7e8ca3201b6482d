import { operation, pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { routeOf } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../visit/visit.ts";
import type { OidcContext } from "./context.ts";
import { noStore, oauthError } from "./http/replies.ts";
import type { Managed } from "./registration/manage-client.ts";
import type { RegistrationOutcome } from "./registration/register-client.ts";
import type { FullRegistration, RegisteredMetadata, Registration } from "./registration/registration.ts";
import { protectedResource } from "./settings/mail-resources.ts";

/** The token of a request to register, or to manage a registration. */
function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +([^ ]+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** A registration that cannot be read or written may exist: the client tries again instead of registering again. */
function whileAvailable<Request extends FastifyRequest>(
  { logger }: OidcContext,
  handle: (request: Request, reply: FastifyReply) => Promise<FastifyReply>,
) {
  return async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      return await handle(request, reply);
    } catch (err) {
      if (!(err instanceof AppError) || err.row.kind !== "unavailable") throw err;
      logger.error({ err }, "a registration cannot be read or written");
      reply.header("retry-after", "5");
      return oauthError(reply, 503, "temporarily_unavailable", "try again in a moment");
    }
  };
}

type Members = Readonly<Record<string, unknown>>;

function isSet([, value]: readonly [string, unknown]): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function ofMetadata(metadata: RegisteredMetadata): Members {
  return {
    token_endpoint_auth_method: metadata.authMethod,
    application_type: metadata.applicationType,
    grant_types: metadata.grantTypes,
    response_types: [
      ...(metadata.grantTypes.includes("authorization_code") ? ["code"] : []),
      ...(metadata.implicitTypes ?? []),
    ],
    post_logout_redirect_uris: metadata.postLogoutRedirectUris,
    jwks: metadata.jwks === "" ? undefined : JSON.parse(metadata.jwks),
    jwks_uri: metadata.jwksUri,
    policy_uri: metadata.policyUri,
    tos_uri: metadata.tosUri,
    initiate_login_uri: metadata.initiateLoginUri,
    id_token_signed_response_alg: metadata.idTokenAlgorithm,
    userinfo_signed_response_alg: metadata.userinfoAlgorithm,
    default_max_age: metadata.defaultMaxAge,
    request_object_signing_alg: metadata.requestObjectAlgorithm,
    request_uris: metadata.requestUris,
    require_signed_request_object: metadata.requiresSignedRequests,
    require_pushed_authorization_requests: metadata.requiresPushedRequests,
    dpop_bound_access_tokens: metadata.requiresDpop,
    subject_type: "public",
  };
}

const ofMailClient: Members = {
  token_endpoint_auth_method: "none",
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
};

function ofFull({ metadata, secret }: FullRegistration): Members {
  return {
    ...ofMetadata(metadata),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
  };
}

/**
 * RFC 7591 §3.2.1: everything that was registered, which may be less than was requested. With the registration access
 * token, even if the client manages its registration (RFC 7592 §3).
 */
function shownRegistration(registration: Registration, issuer: string, token: string | undefined): Members {
  const { id, name, redirectUris, scopes, softwareId, softwareVersion, createdAt, full } = registration;
  const members = {
    client_id: id,
    client_id_issued_at: createdAt,
    client_name: name,
    ...(full === undefined ? ofMailClient : ofFull(full)),
    scope: scopes.join(" "),
    software_id: softwareId,
    software_version: softwareVersion,
    registration_access_token: token,
    registration_client_uri:
      token === undefined ? undefined : `${issuer}${pathTo("readClientRegistration", { client_id: id })}`,
  };
  return { ...Object.fromEntries(Object.entries(members).filter(isSet)), redirect_uris: redirectUris };
}

function refuseRegistration(
  reply: FastifyReply,
  known: Exclude<RegistrationOutcome, { outcome: "registered" }>,
  issuer: string,
) {
  switch (known.outcome) {
    case "disabled":
      return oauthError(reply, 404, "not_found");
    case "no_token":
      reply.header("www-authenticate", `Bearer realm="${issuer}", error="invalid_token"`);
      return oauthError(reply, 401, "invalid_token", "an initial access token is required");
    case "invalid":
      return oauthError(reply, 400, known.refusal.error, known.refusal.description);
    case "rate_limited":
    case "network_full":
      reply.header("retry-after", "60");
      return oauthError(reply, 429, "temporarily_unavailable", "too many registrations from this network");
    case "full":
      reply.header("retry-after", "3600");
      return oauthError(reply, 503, "temporarily_unavailable", "too many registrations");
  }
}

/** `POST /oidc/register`: dynamic registration (RFC 7591). */
function postRegisterClient(oidc: OidcContext) {
  const { issuer } = oidc;
  return whileAvailable(oidc, async (request: FastifyRequest, reply) => {
    const { caller, body } = request;
    const known = await oidc.registerClient({ body, bearer: bearerOf(request), clientIp: caller?.clientIp });
    oidc.metrics.registration(known.outcome);
    if (known.outcome !== "registered") {
      const why = known.outcome === "invalid" ? known.refusal.description : undefined;
      // Full is a state of the whole site, which an operator has to end.
      const level = known.outcome === "full" ? "warn" : "info";
      oidc.logger[level]({ session: caller?.session, reason: known.outcome, why }, "registration of a client refused");
      return refuseRegistration(reply, known, issuer);
    }
    const { registration, token } = known;
    const { initialToken: actor, id: target } = registration;
    auditVisit(oidc.audit, request, { event: "client.register", outcome: "ok", actor, target });
    return noStore(reply)
      .code(201)
      .send(shownRegistration(registration, issuer, token));
  });
}

export interface ManagedParams {
  readonly Params: { readonly client_id?: string };
}

/** An unknown client is answered like a wrong token (RFC 7592 §2.1). */
function refuseManagement(
  reply: FastifyReply,
  managed: Exclude<Managed, { outcome: "ok" }>,
  issuer: string,
): FastifyReply {
  if (managed.outcome === "invalid") return oauthError(reply, 400, managed.refusal.error, managed.refusal.description);
  reply.header("www-authenticate", `Bearer realm="${issuer}", error="invalid_token"`);
  return oauthError(reply, 401, "invalid_token", "the registration access token is wrong");
}

/** The requests to the registration of one client (RFC 7592 §2): `GET`, `PUT` and `DELETE /oidc/register/{client_id}`. */
const managementRequests = [
  { id: "readClientRegistration", step: "read", event: undefined },
  { id: "updateClientRegistration", step: "replace", event: "client.update" },
  { id: "deleteClientRegistration", step: "remove", event: "client.revoke" },
] as const;

function manageRegistration(oidc: OidcContext, { step, event }: (typeof managementRequests)[number]) {
  const { manageClient, issuer, audit } = oidc;
  return whileAvailable(oidc, async (request: FastifyRequest<ManagedParams>, reply) => {
    const [id, bearer] = [request.params.client_id ?? "", bearerOf(request)];
    const managed = await manageClient[step]({ id, bearer }, request.body);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    if (event !== undefined) auditVisit(audit, request, { event, outcome: "ok", actor: id, target: id });
    if (step === "remove") return noStore(reply).code(204).send();
    return noStore(reply).send(shownRegistration(managed.registration, issuer, bearer));
  });
}

/** `GET /.well-known/oauth-protected-resource` (RFC 9728 §3): from the mail services to their authorization server. */
function getProtectedResource({ schedule }: OidcContext) {
  return (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const metadata = protectedResource(schedule.settings);
    reply.header("access-control-allow-origin", "*");
    return metadata === undefined ? oauthError(reply, 404, "not_found") : reply.send(metadata);
  };
}

/** Registration of clients, and the metadata by which mail clients find it. */
export function registerRegistrations(app: FastifyInstance, oidc: OidcContext): void {
  app.route({ ...routeOf(operation("registerClient")), handler: postRegisterClient(oidc) });
  for (const row of managementRequests) {
    app.route<ManagedParams>({ ...routeOf(operation(row.id)), handler: manageRegistration(oidc, row) });
  }
  app.route({ ...routeOf(operation("protectedResourceMetadata")), handler: getProtectedResource(oidc) });
}
