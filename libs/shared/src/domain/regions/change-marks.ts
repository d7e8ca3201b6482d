import type { RedisClient } from "../../platform/redis/client.ts";
import { pairsIn } from "../../platform/redis/pairs.ts";
import { defineScript } from "../../platform/redis/script.ts";
import markChangesLua from "./scripts/mark-changes.lua?raw";

/** A reader that is further behind misses changes until the same changes again. */
const maxEntries = 200_000;
/** In a storm, one command notes everything that has changed in this time. */
const gatherMs = 20;
const maxAtOnce = 1000;

interface ChangesKey {
  readonly ttlSeconds: number;
  build(keyPrefix: string): string;
}

/** Notes what has changed in one sorted set, whose scores are versions that grow. */
export class ChangeMarks {
  readonly #key: string;
  readonly #lifeSeconds: number;
  readonly #run;
  #waiting = new Set<string>();

  constructor(redis: RedisClient, keyPrefix: string, key: ChangesKey) {
    this.#key = key.build(keyPrefix);
    this.#lifeSeconds = key.ttlSeconds;
    this.#run = defineScript(redis, {
      name: "markChanges",
      lua: markChangesLua,
      keys: ["changesKey"],
      args: ["maxEntries", "lifeSeconds", "changed"],
    });
  }

  /** @returns the version of the last one. @throws what Redis throws */
  async mark(changed: readonly string[]): Promise<string> {
    const args = { maxEntries, lifeSeconds: this.#lifeSeconds, changed: JSON.stringify(changed) };
    return String(await this.#run({ changesKey: this.#key }, args));
  }

  /** Soon, and not at all if Redis is unavailable: the next change of the same is noted again. */
  markSoon(changed: readonly string[]): void {
    if (this.#waiting.size === 0 && changed.length > 0) setTimeout(() => this.#flush(), gatherMs).unref();
    for (const one of changed) this.#waiting.add(one);
  }

  #flush(): void {
    const changed = [...this.#waiting];
    this.#waiting = new Set();
    for (let first = 0; first < changed.length; first += maxAtOnce)
      void this.mark(changed.slice(first, first + maxAtOnce)).catch(() => undefined);
  }
}

/** What has changed after a version, the oldest first; everything without one, or with one that was not read here. */
export async function readChanges(
  redis: RedisClient,
  key: string,
  from: string | undefined,
  limit: number,
): Promise<readonly { readonly of: string; readonly version: string }[]> {
  const after = from !== undefined && /^[0-9]{1,16}$/u.test(from) ? `(${from}` : "-inf";
  const found = await redis.zrangebyscore(key, after, "+inf", "WITHSCORES", "LIMIT", 0, limit);
  return pairsIn(found).map(([of, version]) => ({ of, version }));
}
