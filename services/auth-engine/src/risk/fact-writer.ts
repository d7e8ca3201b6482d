import type { RiskStore } from "@postern/shared/domain/risk";

/** How facts are written, and what is done with a value that another engine wrote. */
export interface FactForm<Facts> {
  readonly decode: (value: string) => Facts | undefined;
  readonly encode: (facts: Facts) => string;
  readonly lifeSeconds: () => number;
}

/** Adds something to facts; undefined or the same object if there is nothing to write. */
export type Change<Facts> = (facts: Facts | undefined) => Facts | undefined;

interface Waiting<Facts> {
  readonly read: string;
  readonly changes: Change<Facts>[];
}

/** Bounds of what waits for half a second; an attacker's wrong passwords may be more than that. */
const maxKeys = 4096;
const maxChanges = 32;
const maxAtOnce = 64;
/** Engines that meet the same account again and again may change its facts in between. */
const maxAttempts = 4;

/** Writes the changes of one key. */
function createWrite<Facts>(
  store: Pick<RiskStore, "replace">,
  { decode, encode, lifeSeconds }: FactForm<Facts>,
  onLost: (count: number) => void,
) {
  const applied = (value: string, changes: readonly Change<Facts>[]): string | undefined => {
    const before = value === "" ? undefined : decode(value);
    let facts = before;
    for (const change of changes) facts = change(facts) ?? facts;
    return facts === undefined || facts === before ? undefined : encode(facts);
  };
  return async (key: string, { read, changes }: Waiting<Facts>, isDropped: () => boolean): Promise<void> => {
    let expected = read;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (isDropped()) return;
      const replacement = applied(expected, changes);
      if (replacement === undefined) return;
      const present = await store.replace(key, { expected, replacement, lifeSeconds: lifeSeconds() });
      if (present === undefined) return;
      // Erased since it was read: what was true before must not create it again.
      if (present === "") return;
      expected = present;
    }
    onLost(changes.length);
  };
}

/** Writes facts after decisions. Nothing waits for it. */
export function createFactWriter<Facts>(
  store: Pick<RiskStore, "replace">,
  form: FactForm<Facts>,
  onLost: (count: number) => void,
) {
  const write = createWrite(store, form, onLost);
  let waiting = new Map<string, Waiting<Facts>>();
  let busy: Promise<void> | undefined;
  /** Keys of the batch that is being written. */
  const dropped = new Set<string>();

  const writeAll = async (batch: readonly (readonly [string, Waiting<Facts>])[]): Promise<void> => {
    for (let at = 0; at < batch.length; at += maxAtOnce) {
      const part = batch.slice(at, at + maxAtOnce);
      await Promise.all(
        part.map(([key, one]) =>
          write(key, one, () => dropped.has(key)).catch(() => {
            // Redis is unavailable: later sign-ins add the same again.
            onLost(one.changes.length);
          }),
        ),
      );
    }
  };
  return {
    /** `read`: the value as the decision read it; changes are applied to it, unless it is outdated. */
    add: (key: string, read: string, change: Change<Facts>): void => {
      const one = waiting.get(key);
      if (one === undefined) {
        if (waiting.size >= maxKeys) onLost(1);
        else waiting.set(key, { read, changes: [change] });
      } else if (one.changes.length >= maxChanges) onLost(1);
      else one.changes.push(change);
    },
    /** Drops what waits for a key or is being written to it, because its value is erased. */
    drop: (key: string): void => {
      waiting.delete(key);
      if (busy !== undefined) dropped.add(key);
    },
    flush: async (): Promise<void> => {
      // One batch at a time: while Redis is slow, changes gather up to the bound.
      if (busy !== undefined) return busy;
      if (waiting.size === 0) return;
      const batch = [...waiting];
      waiting = new Map();
      busy = writeAll(batch).finally(() => {
        busy = undefined;
        dropped.clear();
      });
      return busy;
    },
  };
}

export type FactWriter<Facts> = ReturnType<typeof createFactWriter<Facts>>;
