import { randomBytes } from "node:crypto";
import { type DynamicRegistrationConfig, mailScopes, type OidcConfig } from "@postern/shared/platform/config";
import { digestOf, matchesDigest } from "@postern/shared/platform/crypto";
import { addressKey } from "@postern/shared/platform/net";
import type { Clock } from "@postern/shared/platform/time";
import { isRecord, wordsOf } from "../storage/models.ts";
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
import type { Registrations } from "./registrations-redis.ts";

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
export type RegisterClient = (request: {
  readonly body: unknown;
  /** Token of the `Authorization` header. */
  readonly bearer: string | undefined;
  readonly clientIp: string | undefined;
}) => Promise<RegistrationOutcome>;

export type RegistrationSettings = Pick<OidcConfig, "mail_registration" | "dynamic_registration">;

/** Why the protocol core would not accept a registered client; undefined if it would. */
export type ClientFault = (registration: Registration) => string | undefined;

const ipv6Network = 64;

/** The configured token that this one equals. */
function initialToken(
  { initial_access_tokens: tokens }: Pick<DynamicRegistrationConfig, "initial_access_tokens">,
  bearer: string | undefined,
) {
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

export function createRegisterClient(
  registrations: Registrations,
  settings: () => RegistrationSettings,
  faultOf: ClientFault,
  { clock, region }: { readonly clock: Clock; readonly region: string | undefined },
): RegisterClient {
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
      id: registeredIdOf(kind, randomBytes(16), region),
      kind,
      network,
      createdAt,
      endsAt: createdAt + Math.ceil(own.pending_ttl / 1000),
      ...(permission !== undefined && { initialToken: permission.name }),
    };
    const fault = faultOf(registration);
    if (fault !== undefined) return { outcome: "invalid", refusal: invalid(fault) };
    const added = await registrations.add(registration, own.max_registrations, own.max_pending_per_network);
    return added === "added" ? { outcome: "registered", registration, token } : { outcome: added };
  };
}
