import type { Ok } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/time";
import { type CachedResult, frozenDecision } from "./cached-result.ts";
import { createNameIndex, type NameIndex } from "./name-index.ts";

export interface MemoryCacheSettings {
  /** Life of an entry; 0 keeps none. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** An estimate is counted: text, and what a JavaScript engine spends around it. */
  readonly maxBytes: number;
}

/** Right logins of a short while ago, by their context. What was used longest ago goes first, to the second. */
export interface MemoryCache {
  get(context: string): CachedResult | undefined;
  /**
   * `generation` is that of the time before the directory was asked: when a flush came in between, nothing is kept.
   * Replaces what the context had. False when nothing is kept.
   */
  set(context: string, result: CachedResult & { readonly username: string }, generation: number): boolean;
  /** Drops all entries of these accounts or login names. */
  flush(names: readonly string[]): void;
  /** Rises with each flush. */
  readonly generation: number;
  readonly entries: number;
  readonly bytes: number;
}

interface Entry extends CachedResult {
  readonly expiresAt: number;
  readonly bytes: number;
  readonly names: readonly string[];
  /** When it was last put behind all others. */
  usedAt: number;
}

/** A place in the order is taken anew no more often: many are used hundreds of times a second. */
const usedAgainMs = 1000;

/** Objects, map slots and the index of one entry, as an estimate on the high side; each text adds its own. */
const entryOverheadBytes = 900;
const textOverheadBytes = 40;

/** Twice as a text, and once more in the bytes of the reply, which the bus keeps as long as the entry lives. */
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

/** The entries, with what they take and whose they are. */
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

  /** Longest unused first. */
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
      // Two dead ones go for each that comes, so that what nobody asks for again does not stay until the bound.
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
    set: (context, { digest, decision, directory, username }, before) => {
      if (ttlMs === 0 || before !== generation) return false;
      table.remove(context);
      const bytes = sizeOf(context, decision);
      if (bytes > maxBytes) return false;
      const names = username === decision.account ? [username] : [username, decision.account];
      const usedAt = clock.now();
      const kept = { digest, decision: frozenDecision(decision, "hit"), directory };
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
