import { type Static, type TProperties, Type } from "typebox";
import { defineEvent } from "./define.ts";
import { count, integer, object, optional, optionalFlag, optionalText, text } from "./schema.ts";

/** An event in its first major version. */
const event = <Members extends TProperties>(domain: string, fact: string, members: Members) =>
  defineEvent({ domain, fact, major: 1, body: Type.Object(members) });

/**
 * These accounts were flushed: their cached results in memory are removed. If the event is lost, these remain until
 * they expire; the epoch in Redis invalidates the shared cache in any case.
 */
export const accountFlushed = event("account", "flushed", {
  /** Account names and login names whose entries are removed. */
  names: Type.Array(Type.String(), { maxItems: 256 }),
});

/**
 * Bans of these addresses were flushed: engines that remember them for an outage of Redis remove them. If it is lost, they
 * remain there until the next attempt from the network while Redis is available, or until they expire.
 */
export const bruteForceFlushed = event("brute-force", "flushed", {
  addresses: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1000 }),
  rules: Type.Array(Type.String({ maxLength: 1024 }), { description: "Names of the selected rules." }),
});

/**
 * A network was banned. Engines remember the ban for an outage of Redis. If it is lost, they learn of the ban when the network next sends a
 * request to them, or when they are started.
 */
export const networkBanned = event("brute-force", "banned", {
  rule: Type.String({ maxLength: 1024 }),
  network: text("In CIDR notation.", { maxLength: 64 }),
  bannedAtMs: Type.Number({ description: "Milliseconds since the epoch, by the clock of Redis." }),
  expiresAtMs: Type.Number({ description: "Milliseconds since the epoch, by the clock of Redis." }),
});

/** Operators suspended accounts or resumed them. Services read them from Redis; if the event is lost, within half a second. */
export const suspensionsChanged = event("account", "suspensions-changed", {});

/** Another region has ended sessions, which idp reads from Redis. If the event is lost, it does so within five seconds. */
export const sessionsEndedElsewhere = event("account", "sessions-ended-elsewhere", {});

/** The record of a domain, or of all, may have changed at its source. If the event is lost, services use the old one until it expires. */
export const domainFlushed = event("domain", "flushed", {
  domain: Type.Optional(Type.String({ maxLength: 253, description: "Absent: all domains." })),
});

/** Interval of heartbeats. Timeouts of listeners are multiples of it. */
export const engineHeartbeatMs = 200;

/** The heartbeat of an engine. Services send requests to engines whose heartbeats arrive, and do not wait for the others. */
export const engineAlive = event("engine", "alive", {
  instance: text("Identifier of the process among its replicas. It becomes part of a subject.", {
    pattern: "^[0-9a-f]{16}$",
  }),
  inFlight: count("Number of requests in progress."),
  connection: count(
    "How often the engine has connected to NATS. When it changes, requests to the engine and its replies may have been lost.",
  ),
  draining: optionalFlag("Whether the engine is shutting down and takes no new requests."),
});

/**
 * The failure budget of an address is empty, for the other gateways. If it is lost, each of them evaluates one more
 * request. The time is relative, because clocks differ.
 */
export const budgetExhausted = event("budget", "exhausted", {
  /** Identifier of the gateway process that sends it. */
  instance: Type.String({ maxLength: 256 }),
  addressKey: Type.String({ minLength: 1, maxLength: 64 }),
  emptyForMs: Type.Number({ minimum: 0 }),
});

/** Those that are sent on the bus. Services of earlier versions would reject others. */
const eventsOnBus = [
  "new_device",
  "factor_added",
  "factor_removed",
  "factor_renamed",
  "recovery_code_used",
  "recovery_codes_made",
  "app_password_created",
  "app_password_deleted",
  "factor_guessed",
  "factor_locked",
  "suspicious_sign_in",
] as const;

/** Events of an account about which its user may be notified. */
export const notificationEvents = [
  ...eventsOnBus,
  "account_suspended",
  "account_resumed",
  "lost_phone_code",
  "lost_phone_code_used",
] as const;

/** A security event of an account, also the body of a webhook. Receivers recognise duplicates by the id. */
export const AccountNotification = Type.Object({
  id: text("Identifier of this user notification."),
  event: Type.Enum<[...typeof notificationEvents]>([...notificationEvents]),
  factor: Type.Optional(Type.Enum<["totp", "webauthn", "recovery"]>(["totp", "webauthn", "recovery"])),
  account: text("Account name."),
  domain: optionalText("Domain of the account. Absent while no domain has rules of its own."),
  time: text("Time in UTC (RFC 3339)."),
  client_ip: Type.Optional(Type.String()),
  user_agent: Type.Optional(Type.String()),
  session: text("GUID of the request, as in logs."),
});
export type AccountNotification = Static<typeof AccountNotification>;

/** Sent while `identity.notices.enabled` is true. */
export const accountNotified = event("account", "noticed", {
  ...AccountNotification.properties,
  event: Type.Enum<[...typeof eventsOnBus]>([...eventsOnBus]),
});

const state = (description: string) => text(description, { maxLength: 32 });
const name = Type.String({ minLength: 1, maxLength: 1024 });

export const ServiceReport = Type.Object({
  service: Type.String({ minLength: 1, maxLength: 64 }),
  instance: Type.String({ minLength: 1, maxLength: 256 }),
  version: Type.String({ minLength: 1, maxLength: 64 }),
  startedMs: count("Epoch milliseconds."),
  status: state("up, degraded, down, starting or draining."),
  checks: Type.Record(Type.String({ maxLength: 64 }), state("up or down."), {
    description: "Health checks of the process, by name.",
  }),
  configuration: Type.Object({
    digest: text("Equal in all processes with the same configuration.", { maxLength: 64 }),
    loadedMs: count("Epoch milliseconds of the start or of the last reload."),
    changed: Type.Array(name, { maxItems: 100, description: "Keys that reloads changed since the start." }),
    needsRestart: Type.Array(name, { maxItems: 100, description: "Those of them that wait for a restart." }),
    refused: optional(
      object("The last reload, if its configuration was refused.", {
        atMs: count("Epoch milliseconds."),
        reason: Type.String({ maxLength: 1024 }),
      }),
    ),
  }),
  expiries: Type.Array(Type.Object({ name, endMs: integer("Epoch milliseconds.") }), {
    maxItems: 100,
    description: "Ends of certificates that this process can read.",
  }),
  signingKeys: Type.Optional(
    Type.Array(
      Type.Object({
        name,
        createdMs: optional(integer("Epoch milliseconds. Absent for configured keys.")),
        signs: Type.Array(Type.String({ maxLength: 64 }), { maxItems: 16, description: "Empty: it only verifies." }),
        signsFromMs: optional(integer("Epoch milliseconds, for a key that waits to sign.")),
      }),
      { maxItems: 64, description: "Of the identity provider." },
    ),
  ),
  backends: Type.Optional(
    Type.Array(
      Type.Object({
        name,
        state: state("up or down."),
        isOfDomains: optionalFlag("Only records of domains name it."),
      }),
      { maxItems: 64, description: "Backends of an engine, those of the site first." },
    ),
  ),
  scripts: Type.Optional(
    Type.Array(name, { maxItems: 200, description: "Files of the site's scripts that are compiled in this process." }),
  ),
});
export type ServiceReport = Static<typeof ServiceReport>;

/** Asks every process for its report. */
export const serviceReportAsked = event("service", "report-asked", {});

/** The answer, and the last word of a process that shuts down. */
export const serviceReported = event("service", "reported", ServiceReport.properties);
