import { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { Control, Entry, SearchOptions, SearchResult } from "ldapts";
import type { BackendContext } from "../backend.ts";
import { ConnectionPool } from "../servers/connection-pool.ts";
import { backendUnavailable } from "../servers/errors.ts";
import type { TargetSet } from "../servers/target-set.ts";
import { type LdapConnection, openReadyConnection, readRootDse, type ServiceIdentity } from "./client.ts";
import { classifyFailure } from "./errors.ts";
import type { LdapPoolSettings } from "./ldap-settings.ts";
import type { ServerAddress } from "./server-uri.ts";

/** Below the 100 pending requests that OpenLDAP allows on a connection. */
const searchesPerConnection = 32;
/** Searches for an account take milliseconds. */
const searchPatienceMs = 1000;

export function serviceIdentity({ saslExternal, bindDn, bindPassword }: LdapPoolSettings): ServiceIdentity {
  if (saslExternal) return { kind: "external" };
  return bindDn === "" ? { kind: "anonymous" } : { kind: "simple", dn: bindDn, password: bindPassword };
}

/** Searches as the service account, several concurrently on each of a few connections. */
export class LookupPool extends ConnectionPool<LdapConnection, ServerAddress> {
  readonly #timeLimit: number;

  constructor(settings: LdapPoolSettings, targets: TargetSet<ServerAddress>, clock: Clock) {
    const identity = serviceIdentity(settings);
    super({
      label: "LDAP lookup connection",
      targets,
      size: settings.lookupPoolSize,
      idleSize: settings.lookupIdleSize,
      capacity: searchesPerConnection,
      queueLength: settings.lookupQueueLength,
      needsServiceAccount: identity.kind !== "anonymous",
      open: ({ address }, onClose) =>
        openReadyConnection(address, identity, { ...settings, operationTimeoutMs: settings.searchTimeoutMs, onClose }),
      patienceMs: searchPatienceMs,
      classify: classifyFailure,
      clock,
    });
    this.#timeLimit = settings.searchTimeLimitSeconds;
  }

  search(baseDn: string, options: SearchOptions, context: BackendContext): Promise<SearchResult> {
    const limited = { ...options, timeLimit: this.#timeLimit };
    return this.run((connection) => connection.search(baseDn, limited), context);
  }

  /** The entries of a search; what it throws names the work. */
  async entries(doing: string, baseDn: string, options: SearchOptions, context: BackendContext): Promise<Entry[]> {
    try {
      return (await this.search(baseDn, options, context)).searchEntries;
    } catch (error) {
      throw backendUnavailable(doing, error);
    }
  }

  /** Resolves if a server answers the cheapest search now. */
  check(context: BackendContext): Promise<void> {
    return this.run(readRootDse, context);
  }
}

/** A token bucket: `perSecond` on average, bursts of up to `burst` more. Without a rate, everything passes. */
export function createBindRate({ perSecond, burst }: LdapPoolSettings["bindRate"], clock: Clock): () => boolean {
  if (perSecond <= 0) return () => true;
  const size = Math.max(1, burst);
  let tokens = size;
  let filledAt = clock.now();
  return () => {
    const now = clock.now();
    tokens = Math.min(size, tokens + (Math.max(0, now - filledAt) * perSecond) / 1000);
    filledAt = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}

/** A bind gets more time than a search: servers with slow password hashes must not get a bind twice, because each counts wrong passwords. */
const bindPatienceMs = 1500;

/**
 * Binds as users, one at a time on each connection, because a bind ends all other operations on it (RFC 4511 section
 * 4.2.1). The connections serve no other purpose: after a bind they act as that user until the next bind. Binding again
 * costs less than half of reconnecting.
 */
export class BindPool extends ConnectionPool<LdapConnection, ServerAddress> {
  readonly #takeBind: () => boolean;
  readonly #composes: boolean;

  constructor(settings: LdapPoolSettings, targets: TargetSet<ServerAddress>, clock: Clock) {
    super({
      label: "LDAP bind connection",
      targets,
      size: settings.authPoolSize,
      idleSize: settings.lookupPoolOnly ? 0 : settings.authIdleSize,
      capacity: 1,
      queueLength: settings.authQueueLength,
      needsServiceAccount: false,
      open: ({ address }, onClose) =>
        openReadyConnection(
          address,
          { kind: "anonymous" },
          { ...settings, operationTimeoutMs: settings.bindTimeoutMs, onClose },
        ),
      patienceMs: bindPatienceMs,
      classify: classifyFailure,
      clock,
    });
    this.#takeBind = createBindRate(settings.bindRate, steadyClock);
    this.#composes = settings.composesPasswords;
  }

  /**
   * Rejects with the server's `ResultCodeError` if it refuses, or with `DIRECTORY_OVERLOADED` above the pool's rate.
   * `controls` receive what the server adds about the password.
   */
  async bind(dn: string, password: Secret, context: BackendContext, controls?: Control[]): Promise<void> {
    if (!this.#takeBind())
      throw new AppError("DIRECTORY_OVERLOADED", { detail: "more binds than auth_rate_limit_per_second allows" });
    const sent = this.#composes ? new Secret(password.reveal().normalize("NFC")) : password;
    await this.run((connection) => connection.bind(dn, sent, controls), context);
  }
}
