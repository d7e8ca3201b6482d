import type { Ok } from "@postern/shared/contracts";
import { type BoundedCache, createBoundedCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";
import { type CachedResult, frozenDecision } from "./cached-result.ts";

/** The contexts of each name. */
function createNameIndex() {
  const byName = new Map<string, Set<string>>();
  return {
    add: (name: string, context: string): void => {
      const contexts = byName.get(name);
      if (contexts === undefined) byName.set(name, new Set([context]));
      else contexts.add(context);
    },
    remove: (name: string, context: string): void => {
      const contexts = byName.get(name);
      contexts?.delete(context);
      if (contexts?.size === 0) byName.delete(name);
    },
    of: (name: string): readonly string[] => [...(byName.get(name) ?? [])],
  };
}

export interface MemoryCacheSettings {
  /** Lifetime of an entry; 0 disables the cache. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Bound of the estimated size: the text, and the overhead of a JavaScript engine. */
  readonly maxBytes: number;
}

interface Entry extends CachedResult {
  readonly expiresAt: number;
  readonly bytes: number;
  readonly names: readonly string[];
  /** When it was last moved to the end of the order. */
  usedAt: number;
}

/** An entry is moved no more often than this: many are used hundreds of times a second. */
const usedAgainMs = 1000;

/** Objects, map slots and the index of one entry, estimated generously; each text adds its own size. */
const entryOverheadBytes = 900;
const textOverheadBytes = 40;

/** A text counts twice, and once more as bytes of the reply, which the bus keeps as long as the entry lives. */
function textBytes(text: string): number {
  return textOverheadBytes + text.length * 3;
}

function sizeOf(context: string, { account, attributes, groups = [] }: Ok): number {
  let bytes = entryOverheadBytes + textBytes(context) + textBytes(account);
  for (const group of groups) bytes += textBytes(group);
  for (const [name, values] of Object.entries(attributes)) {
    bytes += textBytes(name);
    for (const value of values) bytes += textBytes(value);
  }
  return bytes;
}

/** Each new entry removes up to two expired ones, so that unused entries do not stay until the cache is full. */
function removeExpired(table: BoundedCache<Entry>, now: number): void {
  for (let removed = 0; removed < 2; removed += 1) {
    const [context, entry] = table.next() ?? [];
    if (context === undefined || entry === undefined || entry.expiresAt > now) return;
    table.delete(context);
  }
}

/** Recent successes, by their context. The least recently used entry is evicted first, to the second. */
export class MemoryCache {
  readonly ttlMs: number;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  readonly #index = createNameIndex();
  readonly #table: BoundedCache<Entry>;
  #generation = 0;

  constructor({ ttlMs, maxEntries, maxBytes }: MemoryCacheSettings, clock: Clock) {
    this.ttlMs = ttlMs;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    // A plain Map in the order of use would be slow: its iterator passes all removed entries before it finds the oldest.
    this.#table = createBoundedCache<Entry>({
      maxEntries,
      evict: "least-used",
      sizes: { max: maxBytes, of: ({ bytes }) => bytes },
      onRemove: ({ names }, context) => {
        for (const name of names) this.#index.remove(name, context);
      },
    });
  }

  get(context: string): CachedResult | undefined {
    const entry = this.#table.peek(context);
    if (entry === undefined) return undefined;
    const now = this.#clock.now();
    if (entry.expiresAt <= now) {
      this.#table.delete(context);
      return undefined;
    }
    if (now - entry.usedAt >= usedAgainMs) {
      entry.usedAt = now;
      this.#table.get(context);
    }
    return entry;
  }

  /**
   * `generation` is the one from before the backend was queried: after a flush in between, nothing is kept. Replaces
   * the entry of the context. Returns false if nothing was kept.
   */
  set(
    context: string,
    { digest, decision, backendName, username }: CachedResult & { readonly username: string },
    generation: number,
  ): boolean {
    if (this.ttlMs === 0 || generation !== this.#generation) return false;
    this.#table.delete(context);
    const bytes = sizeOf(context, decision);
    if (bytes > this.#maxBytes) return false;
    const names = username === decision.account ? [username] : [username, decision.account];
    const usedAt = this.#clock.now();
    const kept = { digest, decision: frozenDecision(decision, "hit"), backendName };
    this.#table.set(context, { ...kept, expiresAt: usedAt + this.ttlMs, usedAt, bytes, names });
    for (const name of names) this.#index.add(name, context);
    removeExpired(this.#table, usedAt);
    return true;
  }

  /** Removes all entries of these accounts or login names. */
  flush(names: readonly string[]): void {
    this.#generation += 1;
    for (const context of names.flatMap((name) => this.#index.of(name))) this.#table.delete(context);
  }

  /** Increases with each flush. */
  get generation(): number {
    return this.#generation;
  }

  get entries(): number {
    return this.#table.size;
  }

  get bytes(): number {
    return this.#table.totalSize;
  }
}
