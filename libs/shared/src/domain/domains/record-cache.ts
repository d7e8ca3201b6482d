import { createBoundedCache } from "../../platform/cache/index.ts";
import { within } from "../../platform/concurrency/index.ts";
import { AppError } from "../../platform/errors/index.ts";
import type { Clock } from "../../platform/time/index.ts";
import type { KnownDomain } from "./domain.ts";

/**
 * Reads the record of a domain, by its name or an alias; undefined if there is none. Rejects with `InvalidRecord` if the source's answer is
 * none, otherwise if the source does not answer.
 */
export type ReadRecord = (domain: string) => Promise<KnownDomain | undefined>;

export interface RecordCacheSettings {
  readonly lifetimeMs: number;
  readonly outageLifetimeMs: number;
  readonly maxRecords: number;
  readonly maxUnknownPerSecond: number;
}

interface Kept {
  readonly domain: KnownDomain | undefined;
  readonly freshUntil: number;
  readonly usableUntil: number;
}

/** While the source is unavailable, it is queried once in this time. */
const pauseMs = 1000;
/** A record that is known is served after this time, while the source is still being queried. */
const patienceMs = 250;

/** The source answered, and its answer is no valid record: a fault of this one domain. */
export class InvalidRecord extends Error {}

/** Counts, second by second, queries that found no record. One that is in progress counts until it finds one. */
function createUnknownBudget(maxPerSecond: number, clock: Clock) {
  let second = 0;
  let spent = 0;
  let inProgress = 0;
  const enter = (): void => {
    const now = Math.floor(clock.now() / 1000);
    if (now !== second) [second, spent] = [now, 0];
  };
  return {
    isSpent: (): boolean => {
      enter();
      return spent + inProgress >= maxPerSecond;
    },
    begin: (): void => void (inProgress += 1),
    end: (hasFound: boolean): void => {
      enter();
      inProgress -= 1;
      if (!hasFound) spent += 1;
    },
  };
}

function namesOf(domain: KnownDomain | undefined): readonly string[] {
  return domain === undefined ? [] : [domain.name, ...domain.aliases];
}

/**
 * Records that a source returned, and domains that it does not know, each bounded. While the source does not answer, records that are known
 * stay in use. Known and unknown domains are kept apart, so that attackers, who choose names, evict none that is served.
 */
export class RecordCache {
  #read: ReadRecord;
  readonly #settings: RecordCacheSettings;
  readonly #clock: Clock;
  readonly #onFailure: (error: unknown) => void;
  readonly #known;
  readonly #unknown;
  readonly #budget;
  readonly #reading = new Map<string, Promise<KnownDomain | undefined>>();
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #generation = 0;
  /** For each query in progress, the names that were forgotten since it began. */
  readonly #forgotten = new Set<Set<string>>();

  /** @param onFailure called for each query that fails */
  constructor(
    read: ReadRecord,
    settings: RecordCacheSettings,
    { clock, onFailure }: { readonly clock: Clock; readonly onFailure: (error: unknown) => void },
  ) {
    this.#read = read;
    this.#settings = settings;
    this.#clock = clock;
    this.#onFailure = onFailure;
    this.#known = createBoundedCache<Kept>({ maxEntries: settings.maxRecords, evict: "least-used" });
    this.#unknown = createBoundedCache<Kept>({ maxEntries: settings.maxRecords, evict: "least-used" });
    this.#budget = createUnknownBudget(settings.maxUnknownPerSecond, clock);
  }

  get size(): number {
    return this.#known.size;
  }

  /** The domain, if it is known and fresh in memory. */
  fresh(domain: string): KnownDomain | undefined {
    const kept = this.#known.get(domain);
    return kept !== undefined && kept.freshUntil > this.#clock.now() ? kept.domain : undefined;
  }

  /**
   * The domain, from memory if it is fresh. Undefined if the source does not know it.
   *
   * @throws AppError DIRECTORY_UNAVAILABLE if neither the source nor memory can tell; also for a new name while the source has named too many
   * unknown.
   */
  find(domain: string): KnownDomain | undefined | Promise<KnownDomain | undefined> {
    const kept = this.#known.get(domain) ?? this.#unknown.get(domain);
    const now = this.#clock.now();
    if (kept !== undefined && kept.freshUntil > now) return kept.domain;
    const usable = kept !== undefined && kept.usableUntil > now ? kept : undefined;
    if (this.#pausedUntil > now) {
      if (usable !== undefined) return usable.domain;
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the source of domain records does not answer" });
    }
    if (usable === undefined && !this.#reading.has(domain) && this.#budget.isSpent())
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "too many unknown domains" });
    const reading = this.#readOnce(domain);
    return (usable === undefined ? reading : within(reading, patienceMs)).catch((error: unknown) => {
      if (usable !== undefined && !(error instanceof InvalidRecord)) return usable.domain;
      throw new AppError("DIRECTORY_UNAVAILABLE", {
        detail: "the record of the domain could not be read",
        cause: error,
      });
    });
  }

  /** Reads from the source of another configuration from now on. */
  readFrom(read: ReadRecord): void {
    this.#read = read;
  }

  /**
   * The next request for the domain, or for all, queries the source. Callers that are limited to a domain may flush it: for the others, nothing
   * changes, and a source that does not answer stays unasked.
   */
  forget(domain?: string): void {
    if (domain === undefined) {
      this.#generation += 1;
      this.#reading.clear();
      this.#pausedUntil = Number.NEGATIVE_INFINITY;
      this.#known.clear();
      this.#unknown.clear();
      return;
    }
    for (const names of this.#forgotten) names.add(domain);
    for (const name of [domain, ...namesOf(this.#known.get(domain)?.domain)]) this.#reading.delete(name);
    this.#unknown.delete(domain);
    this.#known.delete(domain);
    this.#known.deleteWhere(({ domain: one }) => one?.name === domain || one?.aliases.includes(domain) === true);
  }

  #readOnce(domain: string): Promise<KnownDomain | undefined> {
    const reading = this.#reading.get(domain);
    if (reading !== undefined) return reading;
    const started = this.#readNow(domain).finally(() => {
      if (this.#reading.get(domain) === started) this.#reading.delete(domain);
    });
    this.#reading.set(domain, started);
    return started;
  }

  async #readNow(domain: string): Promise<KnownDomain | undefined> {
    const generation = this.#generation;
    const forgotten = new Set<string>();
    this.#forgotten.add(forgotten);
    let hasFound = false;
    this.#budget.begin();
    try {
      const found = await this.#read(domain);
      hasFound = found !== undefined;
      // What was read before a flush may be older than the flush.
      const isNewer =
        generation === this.#generation && ![domain, ...namesOf(found)].some((name) => forgotten.has(name));
      if (isNewer) this.#keep(domain, found);
      return found;
    } catch (error) {
      if (!(error instanceof InvalidRecord)) this.#pausedUntil = this.#clock.now() + pauseMs;
      this.#onFailure(error);
      throw error;
    } finally {
      this.#forgotten.delete(forgotten);
      this.#budget.end(hasFound);
    }
  }

  #keep(domain: string, found: KnownDomain | undefined): void {
    const { lifetimeMs, outageLifetimeMs } = this.#settings;
    const now = this.#clock.now();
    // An unknown domain may exist by then: while the source cannot say, it is undecidable.
    const usableUntil = now + (found === undefined ? lifetimeMs : outageLifetimeMs);
    const kept = { domain: found, freshUntil: now + lifetimeMs, usableUntil };
    const [into, from] = found === undefined ? [this.#unknown, this.#known] : [this.#known, this.#unknown];
    from.delete(domain);
    into.set(domain, kept);
  }
}
