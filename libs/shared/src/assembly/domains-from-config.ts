import { domainFlushed, findDomain } from "../contracts/index.ts";
import { Domains, domainOfRecord, RecordCache } from "../domain/domains/index.ts";
import type { Bus } from "../platform/bus/index.ts";
import { abortAfter } from "../platform/concurrency/index.ts";
import { type Config, readDomainRecord, usesDomains } from "../platform/config/index.ts";
import { steadyClock } from "../platform/time/index.ts";

/** Beyond the timeout of the source, an engine answers that it could not read the record. */
const graceMs = 500;

function makeDomains(config: Config, bus: Pick<Bus, "request">): Domains | undefined {
  if (!usesDomains(config)) return undefined;
  const { domains } = config.auth;
  const { source } = domains;
  if (source.kind === "none") return new Domains(domains);
  const timeoutMs = source.timeout + graceMs;
  const read = async (domain: string) => {
    const call = { deadline: steadyClock.now() + timeoutMs, signal: abortAfter(timeoutMs) };
    const { record } = await bus.request(findDomain, { domain }, call);
    return record === undefined ? undefined : domainOfRecord(readDomainRecord(record, { ofNewer: true }), "source");
  };
  const limits = {
    lifetimeMs: source.lifetime,
    outageLifetimeMs: source.outage_lifetime,
    maxRecords: source.max_records,
    maxUnknownPerSecond: source.max_unknown_per_second,
  };
  // The engine logs why a record could not be read.
  return new Domains(domains, new RecordCache(read, limits, { clock: steadyClock, onFailure: () => undefined }));
}

/** The domains of the site for a service that does not query backends: it asks an engine for records that only the source has. */
export class LiveDomains {
  #current: Domains | undefined;
  readonly #bus: Pick<Bus, "request">;

  constructor(config: Config, bus: Pick<Bus, "request" | "subscribe">) {
    this.#bus = bus;
    this.#current = makeDomains(config, bus);
    bus.subscribe(domainFlushed, ({ domain }) => this.#current?.forget(domain));
  }

  /** Absent while all domains are decided by `auth.backends.order`. */
  get current(): Domains | undefined {
    return this.#current;
  }

  reload(config: Config): void {
    this.#current = makeDomains(config, this.#bus);
  }
}
