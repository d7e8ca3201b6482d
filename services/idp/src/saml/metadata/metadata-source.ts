import { setTimeout as delay } from "node:timers/promises";
import { abortAfter } from "@postern/shared/platform/concurrency";
import type { SamlProviderConfig } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import { keysOfPem } from "../keys/pem-keys.ts";
import { sameEntity } from "../protocol/names.ts";
import { type loadDocument, MetadataError, type MetadataFailure, type Place } from "./load-document.ts";
import type { MetadataCopies, MetadataDocument } from "./metadata-copies-redis.ts";
import type { readInThread } from "./read-in-thread.ts";
import type { EntityFacts } from "./read-metadata.ts";

/** One document that is loaded periodically, for every service provider in it. */
export interface SourceSettings extends Place {
  /** Equal for the same location and the same trusted keys. */
  readonly id: string;
  /** PEM of public keys; empty: accepted without a signature. */
  readonly keys: readonly string[];
  readonly wanted: readonly string[];
}

export function hasMetadata({ metadata }: Pick<SamlProviderConfig, "metadata">): boolean {
  return metadata.url !== "" || metadata.file !== "";
}

function sourceOf({ metadata, entity_id: entityId }: SamlProviderConfig): SourceSettings {
  const { url, file } = metadata;
  const keys = keysOfPem(metadata, `${entityId}'s metadata`).map((key) => key.export({ type: "spki", format: "pem" }));
  return { id: JSON.stringify([url, file, keys]), url, file, keys: keys.map(String), wanted: [entityId] };
}

/**
 * The documents; service providers in the same document share it. @throws AppError CONFIG_INVALID for an unreadable
 * certificate
 */
export function metadataSources(providers: readonly SamlProviderConfig[]): readonly SourceSettings[] {
  const sources = new Map<string, SourceSettings>();
  for (const source of providers.filter(hasMetadata).map(sourceOf)) {
    const known = sources.get(source.id);
    sources.set(source.id, { ...source, wanted: [...(known?.wanted ?? []), ...source.wanted] });
  }
  return [...sources.values()];
}

export interface MetadataSourceDeps {
  readonly load: typeof loadDocument;
  readonly read: typeof readInThread;
  readonly copies: MetadataCopies;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bounds: { readonly refreshMs: number; readonly requestTimeoutMs: number; readonly maxBytes: number };
  readonly count: (result: "success" | MetadataFailure) => void;
  readonly onChange: () => void;
}

interface MetadataCopy {
  /** Milliseconds since the epoch. */
  readonly takenAtMs: number;
  /** The key is the entity ID, normalised by `sameEntity`. */
  readonly entities: ReadonlyMap<string, EntityFacts>;
}

/** Timeout after which the thread is terminated. */
const readMs = 30_000;
/** Minimum interval, however short a cacheDuration is, and interval after a failure. */
const shortestMs = 60_000;
/** First and longest interval between attempts to load the stored copy while Redis is unavailable. */
const recallPauseMs = { first: 100, longest: 5000 };

/**
 * Time until the next load: as configured, sooner if the document requests it or expires soon, but never below the
 * minimum.
 */
function pauseMs(copy: MetadataCopy, cacheMs: number | undefined, refreshMs: number): number {
  const ends = [...copy.entities.values()].map(({ validUntilMs }) => validUntilMs ?? Infinity);
  const untilHalf = (Math.min(...ends) - copy.takenAtMs) / 2;
  return Math.max(Math.min(refreshMs, cacheMs ?? Infinity, untilHalf), Math.min(refreshMs, shortestMs));
}

/** One document, its version in use, and the schedule of its loads. */
export class MetadataSource {
  readonly settings: SourceSettings;
  readonly #deps: MetadataSourceDeps;
  readonly #place: string;
  readonly #closing = new AbortController();
  readonly #found = Promise.withResolvers<undefined>();
  #lookedFor: Promise<unknown> = Promise.resolve();
  #copy: MetadataCopy | undefined;
  #isFailing = false;
  #isRecalling = false;
  #missing = "";
  #timer: NodeJS.Timeout | undefined;

  /** @param known the version that is in use until the document is loaded again */
  constructor(deps: MetadataSourceDeps, settings: SourceSettings, known: MetadataCopy | undefined) {
    this.#deps = deps;
    this.settings = settings;
    this.#place = settings.url === "" ? settings.file : settings.url;
    this.#copy = known;
    if (known !== undefined) this.#found.resolve(undefined);
  }

  get copy(): MetadataCopy | undefined {
    return this.#copy;
  }

  start(): void {
    this.#lookedFor = Promise.race([this.#found.promise, Promise.all([this.#run(), this.#recall()])]);
  }

  /** Resolves when a version is known, or its source and the stored copies were tried, or the source was closed. */
  async lookedFor(): Promise<void> {
    await this.#lookedFor;
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const pause = await this.#refresh();
    if (this.#closing.signal.aborted) return;
    // Spreads the requests of replicas that started together.
    this.#timer = setTimeout(() => this.#lookAgain(), pause * (0.9 + Math.random() * 0.1));
    this.#timer.unref();
  }

  #lookAgain(): void {
    void this.#run();
    // Another replica may have loaded what this one cannot.
    void this.#recall();
  }

  /** @returns milliseconds until the next load */
  async #refresh(): Promise<number> {
    const { load, clock, logger, bounds, count } = this.#deps;
    try {
      const xml = await load(this.settings, bounds.maxBytes, this.#within(bounds.requestTimeoutMs));
      const document = { xml, takenAtMs: clock.now() };
      const pause = await this.#take(document);
      await this.#save(document);
      count("success");
      if (this.#isFailing) logger.info({ place: this.#place }, "SAML metadata is available again");
      this.#isFailing = false;
      return pause;
    } catch (err) {
      if (!this.#closing.signal.aborted) this.#reportFailure(err);
      return Math.min(bounds.refreshMs, shortestMs);
    }
  }

  #reportFailure(err: unknown): void {
    const { logger, count } = this.#deps;
    const failure = err instanceof MetadataError ? err.failure : "unreachable";
    count(failure);
    const copy = this.#copy === undefined ? "none" : new Date(this.#copy.takenAtMs).toISOString();
    logger[this.#isFailing ? "debug" : "warn"](
      { place: this.#place, failure, copy, err },
      "SAML metadata could not be loaded",
    );
    this.#isFailing = true;
  }

  async #take({ xml, takenAtMs }: MetadataDocument, isStored = false): Promise<number> {
    const { read, clock, bounds, onChange } = this.#deps;
    const { keys, wanted } = this.settings;
    const task = { xml, keys, wanted, nowMs: clock.now(), maxBytes: bounds.maxBytes };
    const { entities, cacheMs } = await read(task, this.#within(readMs));
    const copy = { takenAtMs, entities: new Map(entities.map((entity) => [sameEntity(entity.entityId), entity])) };
    // A version that was loaded in the meantime is newer than the stored copy. Times do not tell: clocks differ.
    if (this.#closing.signal.aborted || (isStored && this.#copy !== undefined)) return 0;
    this.#copy = copy;
    this.#reportMissing(copy);
    onChange();
    this.#found.resolve(undefined);
    return pauseMs(copy, cacheMs, bounds.refreshMs);
  }

  #reportMissing({ entities }: MetadataCopy): void {
    const entityIds = this.settings.wanted.filter((entityId) => !entities.has(sameEntity(entityId)));
    const missing = entityIds.join(" ");
    if (missing !== this.#missing && missing !== "") {
      this.#deps.logger.warn(
        { place: this.#place, entityIds },
        "SAML metadata does not contain all configured service providers",
      );
    }
    this.#missing = missing;
  }

  async #save(document: MetadataDocument): Promise<void> {
    if (this.settings.url === "") return;
    try {
      await this.#deps.copies.save(this.settings.url, document);
    } catch (err) {
      this.#deps.logger.warn({ place: this.#place, err }, "copy of SAML metadata could not be stored");
    }
  }

  /**
   * Uses the version that another process has stored, as long as this one has none. Retries while Redis is unavailable.
   */
  async #recall(): Promise<void> {
    if (this.settings.url === "" || this.#isRecalling) return;
    this.#isRecalling = true;
    const { signal } = this.#closing;
    for (let pause = recallPauseMs.first; this.#copy === undefined && !signal.aborted; pause *= 2) {
      if (await this.#askCopies(pause === recallPauseMs.first)) break;
      await delay(Math.min(pause, recallPauseMs.longest), undefined, { signal, ref: false }).catch(() => undefined);
    }
    this.#isRecalling = false;
  }

  /** @returns false if it is unknown whether there is a copy */
  async #askCopies(isFirst: boolean): Promise<boolean> {
    const { copies, logger } = this.#deps;
    try {
      const kept = await copies.find(this.settings.url);
      if (kept !== undefined) await this.#useKept(kept);
      return true;
    } catch (err) {
      logger[isFirst ? "warn" : "debug"]({ place: this.#place, err }, "stored copy of SAML metadata cannot be read");
      return false;
    }
  }

  async #useKept(kept: MetadataDocument): Promise<void> {
    const { logger } = this.#deps;
    try {
      await this.#take(kept, true);
      logger.info({ place: this.#place, takenAt: new Date(kept.takenAtMs) }, "stored copy of SAML metadata is in use");
    } catch (err) {
      logger.warn({ place: this.#place, err }, "stored copy of SAML metadata is unusable");
    }
  }

  #within(ms: number): AbortSignal {
    return abortAfter(ms, this.#closing.signal);
  }
}
