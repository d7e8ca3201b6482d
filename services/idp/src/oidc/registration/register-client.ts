import { randomBytes } from "node:crypto";
import type { Audit } from "@postern/shared/domain/audit";
import {
  type DynamicRegistrationConfig,
  type MailRegistrationConfig,
  mailScopes,
} from "@postern/shared/platform/config";
import { digestOf, matchesDigest } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import { addressKey } from "@postern/shared/platform/net";
import type { Clock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../../visit/visit.ts";
import { noStore, oauthError } from "../http/replies.ts";
import type { OidcMetrics } from "../metrics/oidc-metrics.ts";
import { isRecord, wordsOf } from "../storage/json.ts";
import { type FullClient, readFullClient } from "./full-profile.ts";
import { type MailClient, readMailClient } from "./mail-profile.ts";
import {
  type FullRegistration,
  invalid,
  type Refusal,
  type Registration,
  type RegistrationKind,
  registeredIdOf,
} from "./registration.ts";
import { bearerOf, logFailure, shownRegistration, whileAvailable } from "./registration-replies.ts";
import type { Registrations } from "./registrations-redis.ts";

export interface RegistrationRequest {
  readonly body: unknown;
  /** Token of the `Authorization` header. */
  readonly bearer: string | undefined;
  readonly clientIp: string | undefined;
}

/** Result of a request, in the words of the metric and the log. */
export type RegistrationOutcome =
  | {
      readonly outcome: "registered";
      readonly registration: Registration;
      /** With which the client manages its registration; undefined for a mail client. */
      readonly token: string | undefined;
    }
  | { readonly outcome: "disabled" | "no_token" | "rate_limited" | "network_full" | "full" }
  | { readonly outcome: "invalid"; readonly refusal: Refusal };

/** Rejects with REDIS_UNAVAILABLE when a registration can be neither counted nor stored. */
export type RegisterClient = (request: RegistrationRequest) => Promise<RegistrationOutcome>;

export interface RegistrationSettings {
  readonly mail_registration: MailRegistrationConfig;
  readonly dynamic_registration: DynamicRegistrationConfig;
}

/** Why the protocol core would not accept a registered client; undefined if it would. */
export type ClientFault = (registration: Registration) => string | undefined;

export interface RegisterClientDeps {
  readonly registrations: Pick<Registrations, "add" | "countRequest">;
  readonly settings: () => RegistrationSettings;
  readonly faultOf: ClientFault;
  readonly clock: Clock;
}

const ipv6Network = 64;

type Permissions = Pick<DynamicRegistrationConfig, "initial_access_tokens">;

/** The configured token that this one equals. */
function initialToken({ initial_access_tokens: tokens }: Permissions, bearer: string | undefined) {
  return bearer === undefined ? undefined : tokens.find(({ token }) => matchesDigest(bearer, digestOf(token)));
}

/** If both kinds are enabled, the profile for mail clients applies to requests with one of its scopes. */
function kindOf(body: unknown, settings: RegistrationSettings): RegistrationKind | undefined {
  const { mail_registration: mail, dynamic_registration: full } = settings;
  if (!mail.enabled) return full.enabled ? "full" : undefined;
  if (!full.enabled) return "mail";
  const scopes = wordsOf(isRecord(body) ? body["scope"] : undefined);
  return mailScopes(mail).some(({ name }) => scopes.includes(name)) ? "mail" : "full";
}

function isOpen(kind: RegistrationKind, settings: RegistrationSettings): boolean {
  const { mail_registration: mail, dynamic_registration: full } = settings;
  return kind === "mail" ? mail.initial_access_tokens.length === 0 : full.open;
}

function isFull(client: MailClient | FullClient): client is FullClient {
  return "metadata" in client;
}

/** A client that authenticates by a secret keeps the one that it has (RFC 7592 §2.2). */
export function credentialsFor({ metadata }: FullClient, kept?: string): Pick<FullRegistration, "secret"> {
  if (!metadata.authMethod.startsWith("client_secret")) return {};
  return { secret: kept ?? randomBytes(32).toString("base64url") };
}

function tokenDigestOf(token: string): string {
  return digestOf(token).toString("base64url");
}

function withCredentials(client: MailClient | FullClient) {
  if (!isFull(client)) return { members: client, token: undefined };
  const { metadata, ...members } = client;
  const token = randomBytes(32).toString("base64url");
  const full: FullRegistration = { metadata, ...credentialsFor(client), tokenDigest: tokenDigestOf(token) };
  return { members: { ...members, full }, token };
}

export function createRegisterClient(deps: RegisterClientDeps): RegisterClient {
  const { registrations, settings, faultOf, clock } = deps;
  return async ({ body, bearer, clientIp }) => {
    const now = settings();
    const kind = kindOf(body, now);
    if (kind === undefined) return { outcome: "disabled" };
    const own = kind === "mail" ? now.mail_registration : now.dynamic_registration;
    const network = addressKey(clientIp ?? "", ipv6Network);
    if ((await registrations.countRequest(kind, network)) > own.per_minute) return { outcome: "rate_limited" };
    const permission = initialToken(own, bearer);
    if (permission === undefined && !isOpen(kind, now)) return { outcome: "no_token" };
    const client =
      kind === "mail" ? readMailClient(body, now.mail_registration) : readFullClient(body, now.dynamic_registration);
    if ("error" in client) return { outcome: "invalid", refusal: client };
    const createdAt = Math.floor(clock.now() / 1000);
    const { members, token } = withCredentials(client);
    const registration: Registration = {
      ...members,
      id: registeredIdOf(kind, randomBytes(16)),
      kind,
      network,
      createdAt,
      endsAt: createdAt + Math.ceil(own.pending_ttl / 1000),
      ...(permission !== undefined && { initialToken: permission.name }),
    };
    const fault = faultOf(registration);
    if (fault !== undefined) return { outcome: "invalid", refusal: invalid(fault) };
    const bounds = { maxRegistrations: own.max_registrations, maxPendingPerNetwork: own.max_pending_per_network };
    const added = await registrations.add(registration, bounds);
    return added === "added" ? { outcome: "registered", registration, token } : { outcome: added };
  };
}

export interface RegisterClientRouteDeps {
  readonly registerClient: RegisterClient;
  readonly issuer: string;
  readonly audit: Audit;
  readonly metrics: Pick<OidcMetrics, "registration">;
  readonly logger: Pick<Logger, "info" | "warn" | "error">;
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
export function postRegisterClient({ registerClient, issuer, audit, metrics, logger }: RegisterClientRouteDeps) {
  return whileAvailable(async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { caller, body } = request;
    const known = await registerClient({ body, bearer: bearerOf(request), clientIp: caller?.clientIp });
    metrics.registration(known.outcome);
    if (known.outcome !== "registered") {
      const why = known.outcome === "invalid" ? known.refusal.description : undefined;
      // Full is a state of the whole site, which an operator has to end.
      const level = known.outcome === "full" ? "warn" : "info";
      logger[level]({ session: caller?.session, reason: known.outcome, why }, "registration of a client refused");
      return refuseRegistration(reply, known, issuer);
    }
    const { registration, token } = known;
    const { initialToken: actor, id: target } = registration;
    auditVisit(audit, request, { event: "client.register", outcome: "ok", actor, target });
    return noStore(reply)
      .code(201)
      .send(shownRegistration(registration, issuer, token));
  }, logFailure({ logger }));
}
