import type { Base } from "@postern/shared/assembly";
import { domainFlushed, type findDomain, type Reply, type Request } from "@postern/shared/contracts";
import { Domains, InvalidRecord, type ReadRecord, RecordCache } from "@postern/shared/domain/domains";
import { createBoundedCache } from "@postern/shared/platform/cache";
import { type Config, usesDomains } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { Replaceable } from "@postern/shared/platform/lifecycle";
import { steadyClock } from "@postern/shared/platform/time";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import { type BackendSet, createScriptModules } from "../backends/context.ts";
import type { Foundation } from "../foundation.ts";
import { createBackendOfNone, createBackendsByName } from "./domain-backends.ts";
import { createReadRecord } from "./domain-source.ts";
import { type AddressRule, addressRule, type ForeignAddress } from "./own-addresses.ts";
import { listableWithin } from "./place-attempt.ts";

type Parts = Pick<Foundation, "base" | "scripts">;

/** The domains of one configuration, with the connections of their source. */
interface Generation {
  /** The source's settings: a reload that leaves them keeps the records in memory. */
  readonly sourceText?: string;
  readonly cache?: RecordCache;
  /** Called when the generation is used. */
  use?(): void;
  /** Absent while all domains are decided by `auth.backends.order`. */
  readonly domains: Domains | undefined;
  close(): Promise<void>;
}

/** Logs the first of consecutive failures. */
function failureLog({ logger }: Pick<Base, "logger">, count: () => void) {
  let isFailing = false;
  return {
    failed: (err: unknown): void => {
      count();
      if (!isFailing) logger.warn({ err }, "a domain record could not be read: known domains are served from memory");
      isFailing = true;
    },
    answered: (): void => {
      isFailing = false;
    },
  };
}

interface ChosenFrom {
  readonly backends: Pick<BackendSet, "current">;
}

function generationMaker({ base, scripts }: Parts) {
  const { metrics, metricsPrefix } = base;
  const failures = metrics.counter({
    name: `${metricsPrefix}_domain_source_failures_total`,
    help: "Queries of the source of domain records (auth.domains.source) that failed",
    labels: {},
  })({});
  const log = failureLog(base, () => failures.inc());
  return (config: Config, before?: Generation): Generation => {
    const { domains } = config.auth;
    const { source } = domains;
    if (!usesDomains(config)) return { domains: undefined, close: async () => undefined };
    if (source.kind === "none") return { domains: new Domains(domains), close: async () => undefined };
    const modules = createScriptModules(config, base);
    const read = createReadRecord(source, modules.functions, scripts.decisions);
    const reported: ReadRecord = async (domain) => {
      const found = await read(domain);
      log.answered();
      return found;
    };
    const sourceText = JSON.stringify(source);
    const kept = before?.sourceText === sourceText ? before.cache : undefined;
    const limits = {
      lifetimeMs: source.lifetime,
      outageLifetimeMs: source.outage_lifetime,
      maxRecords: source.max_records,
      maxUnknownPerSecond: source.max_unknown_per_second,
    };
    const cache = kept ?? new RecordCache(reported, limits, { clock: steadyClock, onFailure: log.failed });
    return {
      domains: new Domains(domains, cache),
      sourceText,
      cache,
      use: () => cache.readFrom(reported),
      close: () => modules.close(),
    };
  };
}

/** What the site says about backends, apart from the records. */
function siteOf(config: Config) {
  const order = config.auth.backends.order.map((entry) => entry.trim()).filter((entry) => entry !== "cache");
  return { order, addresses: addressRule(config) };
}

/** Directories whose addresses of other domains are in the log: one line for each, because there may be many accounts. */
const maxReported = 1000;

/** The backends for each name. */
function chooseBackends(
  backends: Pick<BackendSet, "current">,
  logger: Base["logger"],
  domains: () => Domains | undefined,
  site: () => { readonly order: readonly string[]; readonly addresses: AddressRule },
): BackendsByName {
  const reported = createBoundedCache<ForeignAddress>({ maxEntries: maxReported, evict: "least-used" });
  return createBackendsByName({
    set: backends,
    domains,
    order: () => site().order,
    addresses: {
      rule: () => site().addresses,
      onForeignAddress: (found) => {
        const { attribute, backend, domain } = found;
        const key = `${backend} ${domain} ${attribute}`;
        if (reported.get(key) === undefined)
          logger.warn(found, "a backend returned an address of another domain, which is not released");
        reported.set(key, found);
      },
    },
    none: createBackendOfNone(async (...verification) => {
      const [first] = backends.current;
      // These verify a decoy in this process; others would send the password to a server.
      if (first?.kind === "sql" || first?.kind === "lua") await first.spendVerification(...verification);
    }),
    onForeign: (account, backend, domain) =>
      logger.error({ account, backend, domain }, "a backend returned an account of another domain: the sign-in fails"),
  });
}

/** The bus method `auth-engine.find-domain`. */
function createFindDomain(domains: () => Domains | undefined) {
  return async ({ domain }: Request<typeof findDomain>): Promise<Reply<typeof findDomain>> => {
    try {
      const found = await domains()?.find(domain);
      return found?.isKnown === true && found.origin === "source" ? { record: { ...found.record } } : {};
    } catch (error) {
      if (error instanceof AppError && error.cause instanceof InvalidRecord) return { isInvalid: true };
      throw error;
    }
  };
}

/** The domains of the site, and the backends for each name. */
export function createLiveDomains(
  config: Config,
  { base, bus, backends, ...parts }: Pick<Foundation, "base" | "bus" | "scripts"> & ChosenFrom,
) {
  const { logger, metrics, metricsPrefix } = base;
  const make = generationMaker({ base, ...parts });
  let site = siteOf(config);
  const current = new Replaceable(
    make(config),
    config.runtime.timeouts.decision,
    (generation) => generation.close(),
    (err) => logger.warn({ err }, "closing the source of domain records failed"),
  );
  metrics.gauge({
    name: `${metricsPrefix}_domain_records`,
    help: "Domain records in memory: those of the configuration, and those that were read from the source",
    read: () => current.current.domains?.size ?? 0,
  });
  base.audit.nameDomains((account) => current.current.domains?.nameOf(account));
  bus.subscribe(domainFlushed, ({ domain }) => current.current.domains?.forget(domain));
  const backendsByName = chooseBackends(
    backends,
    logger,
    () => current.current.domains,
    () => site,
  );
  return {
    backendsByName,
    get current(): Domains | undefined {
      return current.current.domains;
    },
    /** The domains of another configuration, to replace those in use. */
    prepare: (next: Config) => {
      const generation = make(next, current.current);
      return {
        use: (): void => {
          site = siteOf(next);
          generation.use?.();
          current.swap(generation);
        },
        discard: () => generation.close(),
      };
    },
    /** @throws AppError DIRECTORY_UNAVAILABLE if the source cannot tell */
    listableWithin: (domains: readonly string[]) => listableWithin(domains, current.current.domains, backendsByName),
    findDomain: createFindDomain(() => current.current.domains),
    close: () => current.close(),
  };
}

export type LiveDomains = ReturnType<typeof createLiveDomains>;
