import type { Ok } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/time";
import { type CachedResult, frozenDecision } from "./cached-result.ts";

export interface MemoryCacheSettings {
  /** Life of an entry; 0 keeps none. */
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** An estimate is counted: text, and what a JavaScript engine spends around it. */
  readonly maxBytes: number;
}

/** Right logins of a short while ago, by their context. What was used longest ago goes first. */
export interface MemoryCache {
  get(context: string): CachedResult | undefined;
  /**
   * `generation` is that of the time before the directory was asked: when a flush came in between, nothing is kept.
   * Replaces what the context had.
   */
  set(context: string, result: CachedResult & { readonly username: string }, generation: number): void;
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
}

/** Objects, map slots and the index of one entry, measured with 100,000 of them; each text adds its own. */
const entryOverheadBytes = 900;
const textOverheadBytes = 40;

function textBytes(text: string): number {
  return textOverheadBytes + text.length * 2;
}

function sizeOf(context: string, { account, attributes }: Ok): number {
  let bytes = entryOverheadBytes + textBytes(context) + textBytes(account);
  for (const [name, values] of Object.entries(attributes)) {
    bytes += textBytes(name);
    for (const value of values) bytes += textBytes(value);
  }
  return bytes;
}

/** Which contexts a name has. */
interface NameIndex {
  add(name: string, context: string): void;
  remove(name: string, context: string): void;
  of(name: string): readonly string[];
}

function createNameIndex(): NameIndex {
  const byName = new Map<string, Set<string>>();
  return {
    add: (name, context) => {
      const contexts = byName.get(name);
      if (contexts === undefined) byName.set(name, new Set([context]));
      else contexts.add(context);
    },
    remove: (name, context) => {
      const contexts = byName.get(name);
      contexts?.delete(context);
      if (contexts?.size === 0) byName.delete(name);
    },
    of: (name) => [...(byName.get(name) ?? [])],
  };
}

export function createMemoryCache(
  { ttlMs, maxEntries, maxBytes }: MemoryCacheSettings,
  { clock }: { readonly clock: Clock },
): MemoryCache {
  const entries = new Map<string, Entry>();
  const index = createNameIndex();
  let bytes = 0;
  let generation = 0;

  const drop = (context: string, entry: Entry): void => {
    entries.delete(context);
    bytes -= entry.bytes;
    for (const name of entry.names) index.remove(name, context);
  };
  const makeRoom = (): void => {
    const now = clock.now();
    let looked = 0;
    for (const [context, entry] of entries) {
      const isOver = entries.size > maxEntries || bytes > maxBytes;
      // Two dead ones go for each that comes, so that what nobody asks for again does not stay until the bound.
      if (!isOver && (looked >= 2 || entry.expiresAt > now)) return;
      looked += 1;
      drop(context, entry);
    }
  };
  return {
    get: (context) => {
      const entry = entries.get(context);
      if (entry === undefined) return undefined;
      if (entry.expiresAt <= clock.now()) {
        drop(context, entry);
        return undefined;
      }
      entries.delete(context);
      entries.set(context, entry);
      return entry;
    },
    set: (context, { digest, decision, username }, before) => {
      if (ttlMs === 0 || before !== generation) return;
      const former = entries.get(context);
      if (former !== undefined) drop(context, former);
      const size = sizeOf(context, decision);
      if (size > maxBytes) return;
      const names = username === decision.account ? [username] : [username, decision.account];
      const expiresAt = clock.now() + ttlMs;
      entries.set(context, { digest, decision: frozenDecision(decision, "hit"), expiresAt, bytes: size, names });
      bytes += size;
      for (const name of names) index.add(name, context);
      makeRoom();
    },
    flush: (names) => {
      generation += 1;
      for (const context of names.flatMap((name) => index.of(name))) {
        const entry = entries.get(context);
        if (entry !== undefined) drop(context, entry);
      }
    },
    get generation() {
      return generation;
    },
    get entries() {
      return entries.size;
    },
    get bytes() {
      return bytes;
    },
  };
}
