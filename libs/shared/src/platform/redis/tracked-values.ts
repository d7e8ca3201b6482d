import { Redis } from "ioredis";
import { createHotCache } from "../cache/hot-cache.ts";
import type { Clock } from "../time/clock.ts";
import type { RedisClient } from "./client.ts";

const channel = "__redis__:invalidate";
const probeEveryMs = 500;
/** Longer than a busy process or a busy Redis delays a probe. The bus announces bans as well, so that a ban does not wait for this. */
const silentMs = 1500;
const probeLifeMs = 10_000;
/** More than the probes whose answers can be outstanding. */
const probes = 8;

interface TrackedValuesOptions {
  /** What the keys begin with. Redis reports every change of such a key, so these must not be keys that every sign-in writes. */
  readonly prefixes: readonly string[];
  /** Only this process writes keys that begin with it. */
  readonly probePrefix: string;
  readonly maxValues: number;
  readonly clock: Clock;
  /** The server does not support it, or the user may not use it. */
  readonly onRefused: (error: unknown) => void;
}

/** Keys that changed while a read was under way: its values may be older than the change. */
interface Reading {
  readonly changed: Set<string>;
  readonly epoch: number;
}

type Value = string | null;

/** Neither a lost connection nor a server that is still loading its data. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(ERR|NOPERM)/u.test(error.message);
}

/**
 * Values that were read from Redis, with those that do not exist, kept until Redis reports a change (client tracking in its broadcasting mode,
 * over a connection of its own). Twice a second a key is written on the connection that reads, and Redis must report it on the other one: this
 * proves that both lead to the same server and that no report is missing. Without that proof nothing is kept, and every read goes to Redis.
 */
class TrackedValues {
  readonly #redis: Redis;
  readonly #options: TrackedValuesOptions;
  readonly #connection: Redis;
  readonly #timer: NodeJS.Timeout;
  readonly #readings = new Set<Reading>();
  readonly #probeKeys: readonly string[];
  /** When the probe with this number was sent. */
  readonly #sentAt: (number | undefined)[] = [];
  #values: ReturnType<typeof createHotCache<Value>>;
  #epoch = 0;
  #number = 0;
  #enabledAt = Number.POSITIVE_INFINITY;
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, options: TrackedValuesOptions) {
    const { probePrefix, maxValues } = options;
    this.#redis = redis;
    this.#options = options;
    this.#values = createHotCache(maxValues);
    this.#probeKeys = Array.from({ length: probes }, (_, index) => `${probePrefix}${index}`);
    const { connectionName } = redis.options;
    this.#connection = redis.duplicate({ autoResubscribe: false, connectionName: `${connectionName ?? ""}-tracking` });
    // The connection that reads reports its errors, and this one has the same.
    this.#connection.on("error", () => undefined);
    this.#connection.on("ready", () => void this.#enable());
    this.#connection.on("close", () => this.#lose());
    this.#connection.on("messageBuffer", (_channel: Buffer, keys: unknown) => this.#changed(keys));
    redis.on("close", () => this.#lose());
    redis.once("end", () => this.close());
    this.#timer = setInterval(() => this.#probe(), probeEveryMs);
  }

  /** Whether every change is known to be reported. */
  get isProven(): boolean {
    return this.#options.clock.now() - this.#provenAt < silentMs;
  }

  /** The values of the keys, if all are kept. */
  peek(keys: readonly string[]): Value[] | undefined {
    if (!this.isProven) return undefined;
    const found: Value[] = [];
    for (const key of keys) {
      const value = this.#values.get(key);
      if (value === undefined) return undefined;
      found.push(value);
    }
    return found;
  }

  /** Reads the keys from Redis, and keeps their values. */
  async read(keys: readonly string[]): Promise<Value[]> {
    const redis = this.#redis;
    if (!this.isProven) return redis.mget([...keys]);
    const reading: Reading = { changed: new Set(), epoch: this.#epoch };
    this.#readings.add(reading);
    try {
      const values = await redis.mget([...keys]);
      if (reading.epoch === this.#epoch) {
        keys.forEach((key, index) => {
          if (!reading.changed.has(key)) this.#values.set(key, values[index] ?? null);
        });
      }
      return values;
    } finally {
      this.#readings.delete(reading);
    }
  }

  /** For keys that this process has just changed: the report may arrive after the answer. */
  forget(keys: readonly string[]): void {
    for (const key of keys) this.#drop(key);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#connection.disconnect();
  }

  async #enable(): Promise<void> {
    const connection = this.#connection;
    try {
      const id = await connection.client("ID");
      const { prefixes, probePrefix } = this.#options;
      const words = [...prefixes, probePrefix].flatMap((prefix) => ["prefix", prefix]);
      // RESP2 has no messages besides answers, but a connection that subscribes to this channel may receive the reports about itself.
      await connection.call("client", "tracking", "on", "redirect", String(id), "bcast", ...words);
      await connection.subscribe(channel);
      this.#enabledAt = this.#options.clock.now();
      this.#probe();
    } catch (error) {
      if (!isRefusal(error)) return this.#connection.disconnect(true);
      this.#options.onRefused(error);
      this.close();
    }
  }

  #probe(): void {
    const now = this.#options.clock.now();
    // A connection on which nothing is reported any more looks healthy from here.
    if (now - Math.max(this.#provenAt, this.#enabledAt) >= silentMs) {
      this.#lose();
      this.#connection.disconnect(true);
    }
    if (now < this.#enabledAt || this.#redis.status !== "ready") return;
    this.#number = (this.#number + 1) % probes;
    const key = this.#probeKeys[this.#number];
    if (key === undefined) return;
    this.#sentAt[this.#number] = now;
    void this.#redis.set(key, "", "PX", probeLifeMs).catch(() => undefined);
  }

  #changed(keys: unknown): void {
    // All keys were deleted at once.
    if (!Array.isArray(keys)) return this.#clear();
    for (const one of keys) {
      const key = String(one);
      const number = this.#probeKeys.indexOf(key);
      if (number === -1) this.#drop(key);
      else this.#proven(number);
    }
  }

  #proven(number: number): void {
    const sentAt = this.#sentAt[number];
    this.#sentAt[number] = undefined;
    if (sentAt === undefined) return;
    // What was read before this proof, while there was none, is not kept.
    if (!this.isProven) this.#clear();
    this.#provenAt = Math.max(this.#provenAt, sentAt);
  }

  #drop(key: string): void {
    this.#values.delete(key);
    for (const { changed } of this.#readings) changed.add(key);
  }

  #clear(): void {
    this.#epoch += 1;
    this.#values = createHotCache(this.#options.maxValues);
  }

  #lose(): void {
    this.#provenAt = Number.NEGATIVE_INFINITY;
    this.#enabledAt = Number.POSITIVE_INFINITY;
    this.#sentAt.fill(undefined);
    this.#clear();
  }
}

export type { TrackedValues };

/**
 * @param redis the connection that reads, and through which other commands write
 * @returns undefined for a cluster, which would need a connection to each primary
 */
export function createTrackedValues(redis: RedisClient, options: TrackedValuesOptions): TrackedValues | undefined {
  return redis instanceof Redis ? new TrackedValues(redis, options) : undefined;
}
