import { operation } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import type { DynamicRegistrationConfig } from "@postern/shared/platform/config";
import { digestOf, matchesDigest } from "@postern/shared/platform/crypto";
import { routeOf } from "@postern/shared/platform/http";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../../visit/visit.ts";
import { noStore, oauthError } from "../http/replies.ts";
import { protectedResource } from "../settings/mail-resources.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { isRecord } from "../storage/json.ts";
import type { TokenRecords } from "../tokens/token-records.ts";
import { type FullClient, readFullClient } from "./full-profile.ts";
import {
  type ClientFault,
  credentialsFor,
  postRegisterClient,
  type RegisterClientRouteDeps,
} from "./register-client.ts";
import { invalid, kindOfId, type Refusal, type Registration } from "./registration.ts";
import { bearerOf, logFailure, shownRegistration, whileAvailable } from "./registration-replies.ts";
import type { Registrations } from "./registrations-redis.ts";

/** A request to the registration of one client (RFC 7592 §2). */
export interface ManagementRequest {
  readonly id: string;
  /** Token of the `Authorization` header. */
  readonly bearer: string | undefined;
}

export type Managed =
  | { readonly outcome: "ok"; readonly registration: Registration }
  /** The token is not that of the client, or there is no such client (RFC 7592 §2). */
  | { readonly outcome: "no_token" }
  | { readonly outcome: "invalid"; readonly refusal: Refusal };

export interface ManageClientDeps {
  readonly registrations: Pick<Registrations, "find" | "change" | "remove">;
  readonly records: Pick<TokenRecords, "revokeClient">;
  readonly settings: () => DynamicRegistrationConfig;
  readonly faultOf: ClientFault;
}

/** RFC 7592 §2.2. */
const forbidden = [
  "registration_access_token",
  "registration_client_uri",
  "client_secret_expires_at",
  "client_id_issued_at",
];

/** What a request must repeat unchanged, and what only the server sets. */
function misfit(body: unknown, { id, full }: Registration): Refusal | undefined {
  const members = isRecord(body) ? body : {};
  const foreign = forbidden.find((name) => members[name] !== undefined);
  if (foreign !== undefined) return invalid(`${foreign} must not be in the request`);
  if (members["client_id"] !== id) return invalid("client_id must be that of the client");
  const { client_secret: secret } = members;
  if (secret === undefined || secret === null) return undefined;
  const isKnown = typeof secret === "string" && matchesDigest(secret, digestOf(full?.secret ?? ""));
  return isKnown && full?.secret !== undefined ? undefined : invalid("client_secret must be that of the client");
}

function changed(known: Registration, client: FullClient): Registration {
  const { metadata, ...members } = client;
  const { tokenDigest = "", secret } = known.full ?? {};
  return { ...known, ...members, full: { metadata, ...credentialsFor(client, secret), tokenDigest } };
}

/** Clients that manage their registration (RFC 7592). All methods reject with REDIS_UNAVAILABLE when Redis does not respond. */
export function createManageClient(deps: ManageClientDeps) {
  const { registrations, records, settings, faultOf } = deps;
  const authorized = async ({ id, bearer }: ManagementRequest): Promise<Registration | undefined> => {
    if (!settings().enabled || kindOfId(id) !== "full" || bearer === undefined) return undefined;
    const known = await registrations.find(id);
    if (known?.full === undefined) return undefined;
    return matchesDigest(bearer, Buffer.from(known.full.tokenDigest, "base64url")) ? known : undefined;
  };
  return {
    read: async (request: ManagementRequest): Promise<Managed> => {
      const registration = await authorized(request);
      return registration === undefined ? { outcome: "no_token" } : { outcome: "ok", registration };
    },
    /** Replaces all metadata: what the request does not contain is reset. */
    replace: async (request: ManagementRequest, body: unknown): Promise<Managed> => {
      const known = await authorized(request);
      if (known === undefined) return { outcome: "no_token" };
      const refusal = misfit(body, known);
      if (refusal !== undefined) return { outcome: "invalid", refusal };
      const client = readFullClient(body, settings());
      if ("error" in client) return { outcome: "invalid", refusal: client };
      const fault = faultOf(changed(known, client));
      if (fault !== undefined) return { outcome: "invalid", refusal: invalid(fault) };
      const registration = await registrations.change(request.id, (current) => changed(current, client));
      return registration === undefined ? { outcome: "no_token" } : { outcome: "ok", registration };
    },
    /** Deletes the registration and revokes the client's tokens. */
    remove: async (request: ManagementRequest): Promise<Managed> => {
      const registration = await authorized(request);
      if (registration === undefined) return { outcome: "no_token" };
      // Tokens first: if that fails, the client retries with its registration access token.
      await records.revokeClient(registration.id);
      await registrations.remove(registration.id);
      // Again, for tokens that were issued in between.
      await records.revokeClient(registration.id);
      return { outcome: "ok", registration };
    },
  };
}

export type ManageClient = ReturnType<typeof createManageClient>;

/** What clients need to manage their registrations. */
export interface ManagementDeps {
  readonly manageClient: ManageClient;
  readonly issuer: string;
  readonly audit: Audit;
  readonly logger: Pick<Logger, "info" | "error">;
}

export interface ManagedParams {
  readonly Params: { readonly client_id?: string };
}

function managementRequest(request: FastifyRequest<ManagedParams>): ManagementRequest {
  return { id: request.params.client_id ?? "", bearer: bearerOf(request) };
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

/** `PUT /oidc/register/{client_id}` (RFC 7592 §2.2). */
function putClientRegistration(deps: ManagementDeps) {
  const { manageClient, issuer, audit } = deps;
  return whileAvailable(async (request: FastifyRequest<ManagedParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const clientRequest = managementRequest(request);
    const managed = await manageClient.replace(clientRequest, request.body);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    auditVisit(audit, request, {
      event: "client.update",
      outcome: "ok",
      actor: clientRequest.id,
      target: clientRequest.id,
    });
    return noStore(reply).send(shownRegistration(managed.registration, issuer, clientRequest.bearer));
  }, logFailure(deps));
}

/** `DELETE /oidc/register/{client_id}` (RFC 7592 §2.3). */
function deleteClientRegistration(deps: ManagementDeps) {
  const { manageClient, issuer, audit } = deps;
  return whileAvailable(async (request: FastifyRequest<ManagedParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const clientRequest = managementRequest(request);
    const managed = await manageClient.remove(clientRequest);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    auditVisit(audit, request, {
      event: "client.revoke",
      outcome: "ok",
      actor: clientRequest.id,
      target: clientRequest.id,
    });
    return noStore(reply).code(204).send();
  }, logFailure(deps));
}

/** `GET /oidc/register/{client_id}` (RFC 7592 §2.1). */
function getClientRegistration(deps: ManagementDeps) {
  const { manageClient, issuer } = deps;
  return whileAvailable(async (request: FastifyRequest<ManagedParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const clientRequest = managementRequest(request);
    const managed = await manageClient.read(clientRequest);
    if (managed.outcome !== "ok") return refuseManagement(reply, managed, issuer);
    return noStore(reply).send(shownRegistration(managed.registration, issuer, clientRequest.bearer));
  }, logFailure(deps));
}

/** `GET /.well-known/oauth-protected-resource` (RFC 9728 §3): from the mail services to their authorization server. */
function getProtectedResource(settings: () => OidcSettings) {
  return (_request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const metadata = protectedResource(settings());
    reply.header("access-control-allow-origin", "*");
    return metadata === undefined ? oauthError(reply, 404, "not_found") : reply.send(metadata);
  };
}

/** Registration of clients, and the metadata by which mail clients find it. */
export function registerRegistrations(
  app: FastifyInstance,
  oidc: ManagementDeps & RegisterClientRouteDeps & { readonly schedule: { readonly settings: OidcSettings } },
): void {
  const settings = () => oidc.schedule.settings;
  app.route({ ...routeOf(operation("registerClient")), handler: postRegisterClient(oidc) });
  app.route<ManagedParams>({ ...routeOf(operation("readClientRegistration")), handler: getClientRegistration(oidc) });
  app.route<ManagedParams>({ ...routeOf(operation("updateClientRegistration")), handler: putClientRegistration(oidc) });
  app.route<ManagedParams>({
    ...routeOf(operation("deleteClientRegistration")),
    handler: deleteClientRegistration(oidc),
  });
  app.route({ ...routeOf(operation("protectedResourceMetadata")), handler: getProtectedResource(settings) });
}
