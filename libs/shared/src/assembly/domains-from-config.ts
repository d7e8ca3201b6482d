import { domainFlushed, findDomain } from "../contracts/index.ts";
import { Domains, domainOfRecord, InvalidRecord, RecordCache } from "../domain/domains/index.ts";
import type { Bus } from "../platform/bus/index.ts";
import { abortAfter } from "../platform/concurrency/index.ts";
import { type Config, type DomainsConfig, readDomainRecord, usesDomains } from "../platform/config/index.ts";
import { steadyClock } from "../platform/time/index.ts";
import type { Base } from "./base.ts";

/** Beyond the timeout of the source, an engine answers that it could not read the record. */
const graceMs = 500;

function makeCache(source: DomainsConfig["source"], bus: Pick<Bus, "request">): RecordCache {
  const timeoutMs = source.timeout + graceMs;
  const read = async (domain: string) => {
    const call = { deadline: steadyClock.now() + timeoutMs, signal: abortAfter(timeoutMs) };
    const { record, isInvalid } = await bus.request(findDomain, { domain }, call);
    if (isInvalid === true) throw new InvalidRecord("the record of the domain is not valid");
    return record === undefined ? undefined : domainOfRecord(readDomainRecord(record, { ofNewer: true }), "source");
  };
  const limits = {
    lifetimeMs: source.lifetime,
    outageLifetimeMs: source.outage_lifetime,
    maxRecords: source.max_records,
    maxUnknownPerSecond: source.max_unknown_per_second,
  };
  // The engine logs why a record could not be read.
  return new RecordCache(read, limits, { clock: steadyClock, onFailure: () => undefined });
}

/** The domains of the site, after which the audit stream names the domains of accounts from now on. */
export function liveDomainsFromConfig(
  config: Config,
  { audit }: Pick<Base, "audit">,
  bus: Pick<Bus, "request" | "subscribe">,
): LiveDomains {
  const domains = new LiveDomains(config, bus);
  audit.nameDomains((account) => domains.current?.nameOf(account));
  return domains;
}

/** The domains of the site for a service that does not query backends: it asks an engine for records that only the source has. */
export class LiveDomains {
  #current: Domains | undefined;
  #cache: { readonly sourceText: string; readonly records: RecordCache } | undefined;
  readonly #bus: Pick<Bus, "request">;

  constructor(config: Config, bus: Pick<Bus, "request" | "subscribe">) {
    this.#bus = bus;
    this.reload(config);
    bus.subscribe(domainFlushed, ({ domain }) => this.#current?.forget(domain));
  }

  /** Absent while all domains are decided by `auth.backends.order`. */
  get current(): Domains | undefined {
    return this.#current;
  }

  /** A reload that leaves the source keeps the records in memory. */
  reload(config: Config): void {
    const { domains } = config.auth;
    const sourceText = JSON.stringify(domains.source);
    if (domains.source.kind === "none") this.#cache = undefined;
    else if (this.#cache?.sourceText !== sourceText)
      this.#cache = { sourceText, records: makeCache(domains.source, this.#bus) };
    this.#current = usesDomains(config) ? new Domains(domains, this.#cache?.records) : undefined;
  }
}
