import { createSecretKey, randomBytes } from "node:crypto";
import { type Base, scriptPasswordReports, unverifiablePasswordCounter } from "@postern/shared/assembly";
import { createDecoys, createPasswordVerifier, type DecoySample, type Decoys } from "@postern/shared/domain/passwords";
import type { ScriptRunner } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest, type KeyedDigest } from "@postern/shared/platform/crypto";
import { Replaceable } from "@postern/shared/platform/lifecycle";
import { steadyClock } from "@postern/shared/platform/time";
import { type Tracer, traced } from "@postern/shared/platform/tracing";
import type { EngineMetrics } from "../metrics.ts";
import type { ScriptModules } from "../scripts/context.ts";
import type { EngineSettings, LiveEngineSettings } from "../settings.ts";
import type { Backend } from "./backend.ts";
import type { BackendSettings } from "./backend-settings.ts";
import type { createHttpBackends } from "./http/context.ts";
import { createLdapBackend } from "./ldap/ldap-backend.ts";
import { createLdapPool, type LdapPool } from "./ldap/ldap-pool.ts";
import { ldapPoolSettings } from "./ldap/ldap-settings.ts";
import { ldapModule } from "./ldap/script-module.ts";
import { createLoginCosts, type LoginCosts } from "./ldap/unknown-names.ts";
import { createLuaBackend } from "./lua/lua-backend.ts";
import type { ServerLog } from "./servers/target-set.ts";
import { makeSqlBackend, makeSqlClient } from "./sql/context.ts";
import { sqlModule } from "./sql/script-module.ts";
import type { SqlClient } from "./sql/sql-client.ts";
import { sqlBackendSettings } from "./sql/sql-settings.ts";

/** Called with the outcome of each call that verifies or looks up, `unavailable` if it threw. */
type ObserveBackend = (backend: Backend, outcome: string, seconds: number) => void;

/** Reports each call that verifies or looks up to `observe`, and gives it a span if its request is traced. */
function observedBackend(backend: Backend, observe: ObserveBackend, tracer: Tracer | undefined): Backend {
  const { kind, name } = backend;
  const attributes = { "postern.backend": `${kind}:${name}` };
  const inSpan = <Outcome extends { readonly kind: string }>(operation: string, call: () => Promise<Outcome>) =>
    tracer === undefined
      ? call()
      : traced(tracer, { name: `${kind} ${operation}`, kind: "client", attributes }, async (span) => {
          const outcome = await call();
          span?.set({ "postern.outcome": outcome.kind });
          return outcome;
        });
  const timed = async <Outcome extends { readonly kind: string }>(
    operation: "verify" | "lookup",
    call: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    const started = performance.now();
    const ended = (outcome: string): void => observe(backend, outcome, (performance.now() - started) / 1000);
    try {
      const outcome = await inSpan(operation, call);
      ended(outcome.kind);
      return outcome;
    } catch (error) {
      ended("unavailable");
      throw error;
    }
  };
  return {
    ...backend,
    verify: (query, password, context) => timed("verify", () => backend.verify(query, password, context)),
    lookup: (query, context) => timed("lookup", () => backend.lookup(query, context)),
  };
}

/**
 * The decoys of a backend. What was learned about one survives a reload. They are keyed by the nonce of password digests, which all engines share, so that a name costs the same at every engine.
 * Without a nonce, each process has its own key.
 */
export function decoysMaker({ storage }: Config) {
  const { password_nonce: nonce } = storage.redis;
  const key = nonce === "" ? randomBytes(32) : Buffer.from(`decoys\0${nonce}`);
  const digest = createKeyedDigest(createSecretKey(key));
  const learned = new Map<string, Decoys>();
  return {
    digest,
    of: (backend: string, samples: readonly DecoySample[]): Decoys => {
      if (samples.length > 0) return createDecoys(digest, samples);
      const decoys = learned.get(backend) ?? createDecoys(digest, samples);
      learned.set(backend, decoys);
      return decoys;
    },
  };
}

/** The password verifier, and the decoys that are verified if there is no password to verify. */
export function createPasswordParts(config: Config, { hashing }: EngineSettings, base: Base) {
  const countUnverifiable = unverifiablePasswordCounter(base);
  const onUnverifiable = scriptPasswordReports(base, countUnverifiable);
  return {
    passwords: createPasswordVerifier({ ...hashing, onUnverifiable }),
    decoysOf: decoysMaker(config),
    /** Called if a sign-in was denied because a stored password can never be verified. */
    countUnverifiable,
  };
}

export type PasswordParts = ReturnType<typeof createPasswordParts>;

/** Costs of sign-ins in an LDAP pool. What an engine has learned about a pool survives a reload. */
function loginCostsMaker(digest: KeyedDigest) {
  const learned = new Map<string, LoginCosts>();
  return (backend: string, pool: string): LoginCosts => {
    const key = `${backend}\0${pool}`;
    const costs = learned.get(key) ?? createLoginCosts(digest);
    learned.set(key, costs);
    return costs;
  };
}

type MadeFrom = Pick<LiveEngineSettings, "backends" | "decoys"> & Partial<Pick<LiveEngineSettings, "ofDomains">>;

export type MakeBackends = (settings: MadeFrom) => Promise<readonly Backend[]>;

interface BackendParts extends Omit<PasswordParts, "countUnverifiable"> {
  /** Undefined: stored passwords that cannot be verified are not reported. */
  readonly countUnverifiable: PasswordParts["countUnverifiable"] | undefined;
  readonly base: Pick<Base, "logger" | "tracer">;
  readonly metrics: Pick<EngineMetrics, "backendAnswered">;
  readonly scripts: { readonly decisions: ScriptRunner };
  /** Undefined where no backend may ask another server. */
  readonly httpBackend?: ReturnType<typeof createHttpBackends>;
}

async function makeBackend(
  of: BackendSettings,
  { decoys, costsOf }: { readonly decoys: Decoys; readonly costsOf: ReturnType<typeof loginCostsMaker> },
  { decoysOf: { digest: decoyDigest }, base, passwords, scripts, countUnverifiable, httpBackend }: BackendParts,
): Promise<Backend> {
  switch (of.kind) {
    case "ldap":
      return createLdapBackend(of.settings, {
        clock: steadyClock,
        log: base.logger,
        digest: decoyDigest,
        costsOf: (pool) => costsOf(of.settings.name, pool),
      });
    case "sql":
      return makeSqlBackend(of, { base, passwords, decoys, countUnverifiable });
    case "lua":
      return createLuaBackend(of.settings, scripts.decisions, passwords, decoys);
    case "remote":
      if (httpBackend === undefined)
        throw new Error(`${of.settings.name} asks another server, which is not possible here`);
      return httpBackend(of.settings);
  }
}

export function backendMaker(parts: BackendParts): MakeBackends {
  const observeWith =
    (ofDomains?: ReadonlySet<string>): ObserveBackend =>
    ({ kind, name }, outcome, seconds) => {
      const isOfDomains = outcome === "unavailable" && ofDomains?.has(name) === true;
      parts.metrics.backendAnswered(kind, isOfDomains ? "domain_unavailable" : outcome, seconds);
    };
  const { tracer } = parts.base;
  const costsOf = loginCostsMaker(parts.decoysOf.digest);
  return async ({ backends, decoys: samples, ofDomains }) => {
    const observe = observeWith(ofDomains);
    const instances = await Promise.all(
      backends.map((one) =>
        makeBackend(one, { decoys: parts.decoysOf.of(one.settings.name, samples), costsOf }, parts),
      ),
    );
    return instances.map((backend) => observedBackend(backend, observe, tracer));
  };
}

/** Creates a pool on first use: an unused pool has no connections and no health checks. */
function createLazily<Resource extends { close(): Promise<void> }>(make: (name: string) => Resource | undefined) {
  const resources = new Map<string, Resource>();
  return {
    find: (name: string): Resource | undefined => {
      const known = resources.get(name) ?? make(name);
      if (known !== undefined) resources.set(name, known);
      return known;
    },
    close: async (): Promise<void> => {
      await Promise.all([...resources.values()].map((one) => one.close()));
    },
  };
}

/** Pools with their own connections and the backends' settings, so that scripts never delay backends. */
export function createScriptModules({ auth }: Config, base: { readonly logger: ServerLog }): ScriptModules {
  const { sql, ldap } = auth.backends;
  const sqlPools = createLazily((name): SqlClient | undefined => {
    const pool = name === "default" ? sql.default : Object.hasOwn(sql.pools, name) ? sql.pools[name] : undefined;
    if (pool === undefined || (pool.driver === "sqlite" ? pool.file === "" : pool.server.length === 0))
      return undefined;
    return makeSqlClient(name, sqlBackendSettings(sql, name, name).database, base);
  });
  const ldapPools = createLazily((name): LdapPool | undefined => {
    const pool = name === "default" ? ldap.default : Object.hasOwn(ldap.pools, name) ? ldap.pools[name] : undefined;
    if (pool === undefined || pool.server_uri.length === 0) return undefined;
    return createLdapPool(name, ldapPoolSettings(pool), { clock: steadyClock, log: base.logger });
  });
  return {
    functions: { ...sqlModule(sqlPools.find), ...ldapModule(ldapPools.find) },
    close: async () => {
      await Promise.all([sqlPools.close(), ldapPools.close()]);
    },
  };
}

/** The backends in use. */
export type BackendSet = Pick<Replaceable<readonly Backend[]>, "current" | "swap" | "close">;

export function createBackendSet(first: readonly Backend[], lingerMs: number, onError: (error: unknown) => void) {
  const closeAll = async (backends: readonly Backend[]): Promise<void> => {
    await Promise.all(backends.map((backend) => backend.close().catch(onError)));
  };
  return new Replaceable(first, lingerMs, closeAll, onError);
}
