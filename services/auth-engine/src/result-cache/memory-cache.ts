import type { Ok } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import { type CachedResult, frozenDecision } from "./cached-result.ts";
import { createNameIndex, type NameIndex } from "./name-index.ts";

export interface MemoryCacheSettings {
  /** Lifetime of an entry; 0 disables the cache. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Bound of the estimated size: the text, and the overhead of a JavaScript engine. */
  readonly maxBytes: number;
}

/** Recent successes, by their context. The least recently used entry is evicted first, to the second. */
export interface MemoryCache {
  get(context: string): CachedResult | undefined;
  /**
   * `generation` is the one from before the backend was queried: after a flush in between, nothing is kept. Replaces
   * the entry of the context. Returns false if nothing was kept.
   */
  set(context: string, result: CachedResult & { readonly username: string }, generation: number): boolean;
  /** Removes all entries of these accounts or login names. */
  flush(names: readonly string[]): void;
  /** Increases with each flush. */
  readonly generation: number;
  readonly entries: number;
  readonly bytes: number;
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

/** The entries, with their size and their names. */
class EntryTable {
  readonly #entries = new Map<string, Entry>();
  readonly #index: NameIndex = createNameIndex();
  bytes = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(context: string): Entry | undefined {
    return this.#entries.get(context);
  }

  /** Least recently used first. */
  [Symbol.iterator](): Iterator<[string, Entry]> {
    return this.#entries[Symbol.iterator]();
  }

  put(context: string, entry: Entry): void {
    this.remove(context);
    this.#entries.set(context, entry);
    this.bytes += entry.bytes;
    for (const name of entry.names) this.#index.add(name, context);
  }

  used(context: string, entry: Entry, now: number): void {
    if (now - entry.usedAt < usedAgainMs) return;
    entry.usedAt = now;
    this.#entries.delete(context);
    this.#entries.set(context, entry);
  }

  remove(context: string): void {
    const entry = this.#entries.get(context);
    if (entry === undefined) return;
    this.#entries.delete(context);
    this.bytes -= entry.bytes;
    for (const name of entry.names) this.#index.remove(name, context);
  }

  contextsOf(name: string): readonly string[] {
    return this.#index.of(name);
  }
}

export function createMemoryCache(
  { ttlMs, maxEntries, maxBytes }: MemoryCacheSettings,
  { clock }: { readonly clock: Clock },
): MemoryCache {
  const table = new EntryTable();
  let generation = 0;

  const makeRoom = (): void => {
    const now = clock.now();
    let looked = 0;
    for (const [context, entry] of table) {
      const isOver = table.size > maxEntries || table.bytes > maxBytes;
      // Each new entry removes up to two expired ones, so that unused entries do not stay until the cache is full.
      if (!isOver && (looked >= 2 || entry.expiresAt > now)) return;
      looked += 1;
      table.remove(context);
    }
  };
  return {
    get: (context) => {
      const entry = table.get(context);
      if (entry === undefined) return undefined;
      const now = clock.now();
      if (entry.expiresAt > now) {
        table.used(context, entry, now);
        return entry;
      }
      table.remove(context);
      return undefined;
    },
    set: (context, { digest, decision, backendName, username }, before) => {
      if (ttlMs === 0 || before !== generation) return false;
      table.remove(context);
      const bytes = sizeOf(context, decision);
      if (bytes > maxBytes) return false;
      const names = username === decision.account ? [username] : [username, decision.account];
      const usedAt = clock.now();
      const kept = { digest, decision: frozenDecision(decision, "hit"), backendName };
      table.put(context, { ...kept, expiresAt: usedAt + ttlMs, usedAt, bytes, names });
      makeRoom();
      return true;
    },
    flush: (names) => {
      generation += 1;
      for (const context of names.flatMap((name) => table.contextsOf(name))) table.remove(context);
    },
    get generation() {
      return generation;
    },
    get entries() {
      return table.size;
    },
    get bytes() {
      return table.bytes;
    },
  };
}
