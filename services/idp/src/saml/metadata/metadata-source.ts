import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "@postern/shared/logging";
import type { Clock } from "@postern/shared/time";
import { sameEntity } from "../same-entity.ts";
import type { EntityFacts } from "./entity-facts.ts";
import type { LoadDocument } from "./load-document.ts";
import type { MetadataCopies, MetadataDocument } from "./metadata-copies.ts";
import { MetadataError, type MetadataFailure } from "./metadata-failure.ts";
import type { SourceSettings } from "./metadata-sources.ts";
import type { ReadDocument } from "./read-in-thread.ts";

export interface MetadataBounds {
  readonly refreshMs: number;
  readonly requestTimeoutMs: number;
  readonly maxBytes: number;
}

export interface MetadataSourceDeps {
  readonly load: LoadDocument;
  readonly read: ReadDocument;
  readonly copies: MetadataCopies;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly bounds: MetadataBounds;
  readonly count: (result: "success" | MetadataFailure) => void;
  /** Another copy counts from now on. */
  readonly onChange: () => void;
}

/** What is known of a document. */
export interface MetadataCopy {
  /** Milliseconds since the epoch. */
  readonly takenAtMs: number;
  /** By entity ID, as it is compared. */
  readonly entities: ReadonlyMap<string, EntityFacts>;
}

/** A thread that is not through by then is ended. */
const readMs = 30_000;
/** However short a cacheDuration is, and after a failure. */
const shortestMs = 60_000;
/** Between looks for the kept copy while Redis is away: the first, and the longest. */
const recallPauseMs = { first: 100, longest: 5000 };

/** When to look again: by the configuration, sooner where the document asks for it or is over soon, never too soon. */
function pauseMs(copy: MetadataCopy, cacheMs: number | undefined, { refreshMs }: MetadataBounds): number {
  const ends = [...copy.entities.values()].map(({ validUntilMs }) => validUntilMs ?? Infinity);
  const untilHalf = (Math.min(...ends) - copy.takenAtMs) / 2;
  return Math.max(Math.min(refreshMs, cacheMs ?? Infinity, untilHalf), Math.min(refreshMs, shortestMs));
}

/** One document, what is known of it, and when it is looked at again. */
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

  /** @param known what counts until it was taken anew */
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

  /** From now on it is looked at again and again. */
  start(): void {
    this.#lookedFor = Promise.race([this.#found.promise, Promise.all([this.#run(), this.#recall()])]);
  }

  /** Resolves when something is known, or its place and the kept copies were asked, or it was closed. */
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
    // Replicas that started together do not ask together for ever.
    this.#timer = setTimeout(() => this.#lookAgain(), pause * (0.9 + Math.random() * 0.1));
    this.#timer.unref();
  }

  #lookAgain(): void {
    void this.#run();
    // Another replica may have got what this one cannot.
    void this.#recall();
  }

  /** @returns milliseconds until the next look */
  async #refresh(): Promise<number> {
    const { load, clock, logger, bounds, count } = this.#deps;
    try {
      const xml = await load(this.settings, bounds.maxBytes, this.#within(bounds.requestTimeoutMs));
      const document = { xml, takenAtMs: clock.now() };
      const pause = await this.#take(document);
      await this.#save(document);
      count("success");
      if (this.#isFailing) logger.info({ place: this.#place }, "metadata are taken again");
      this.#isFailing = false;
      return pause;
    } catch (err) {
      if (!this.#closing.signal.aborted) this.#tellFailure(err);
      return Math.min(bounds.refreshMs, shortestMs);
    }
  }

  #tellFailure(err: unknown): void {
    const { logger, count } = this.#deps;
    const failure = err instanceof MetadataError ? err.failure : "unreachable";
    count(failure);
    const copy = this.#copy === undefined ? "none" : new Date(this.#copy.takenAtMs).toISOString();
    logger[this.#isFailing ? "debug" : "warn"]({ place: this.#place, failure, copy, err }, "metadata were not taken");
    this.#isFailing = true;
  }

  async #take({ xml, takenAtMs }: MetadataDocument): Promise<number> {
    const { read, clock, bounds, onChange } = this.#deps;
    const { keys, wanted } = this.settings;
    const task = { xml, keys, wanted, nowMs: clock.now(), maxBytes: bounds.maxBytes };
    const { entities, cacheMs } = await read(task, this.#within(readMs));
    const copy = { takenAtMs, entities: new Map(entities.map((entity) => [sameEntity(entity.entityId), entity])) };
    // What was fetched meanwhile is newer than what was kept.
    if (this.#closing.signal.aborted || takenAtMs < (this.#copy?.takenAtMs ?? 0)) return 0;
    this.#copy = copy;
    this.#tellMissing(copy);
    onChange();
    this.#found.resolve(undefined);
    return pauseMs(copy, cacheMs, bounds);
  }

  #tellMissing({ entities }: MetadataCopy): void {
    const entityIds = this.settings.wanted.filter((entityId) => !entities.has(sameEntity(entityId)));
    const missing = entityIds.join(" ");
    if (missing !== this.#missing && missing !== "") {
      this.#deps.logger.warn({ place: this.#place, entityIds }, "metadata lack service providers");
    }
    this.#missing = missing;
  }

  async #save(document: MetadataDocument): Promise<void> {
    if (this.settings.url === "") return;
    try {
      await this.#deps.copies.save(this.settings.url, document);
    } catch (err) {
      this.#deps.logger.warn({ place: this.#place, err }, "a copy of metadata could not be kept");
    }
  }

  /** What another process has taken, for as long as this one has nothing; while Redis is away it is asked again. */
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

  /** @returns false when nobody could say whether there is a copy */
  async #askCopies(isFirst: boolean): Promise<boolean> {
    const { copies, logger } = this.#deps;
    try {
      const kept = await copies.find(this.settings.url);
      if (kept !== undefined) await this.#useKept(kept);
      return true;
    } catch (err) {
      logger[isFirst ? "warn" : "debug"]({ place: this.#place, err }, "the kept copy of metadata cannot be asked for");
      return false;
    }
  }

  async #useKept(kept: MetadataDocument): Promise<void> {
    const { logger } = this.#deps;
    try {
      await this.#take(kept);
      logger.info({ place: this.#place, takenAt: new Date(kept.takenAtMs) }, "the kept copy of metadata is used");
    } catch (err) {
      logger.warn({ place: this.#place, err }, "the kept copy of metadata cannot be used");
    }
  }

  #within(ms: number): AbortSignal {
    return AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ms)]);
  }
}
