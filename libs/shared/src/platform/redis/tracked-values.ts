import { Redis } from "ioredis";
import { createHotCache } from "../cache/hot-cache.ts";
import type { Clock } from "../time/clock.ts";
import type { RedisClient } from "./client.ts";

const channel = "__redis__:invalidate";
const probeEveryMs = 500;
/** Longer than a busy process or a busy Redis delays a probe. The bus announces bans as well, so that a ban does not wait for this. */
const silentMs = 1500;
const probeLifeMs = 10_000;
/** More than the probes whose reports can be outstanding. */
const probes = 8;

interface TrackedValuesOptions {
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

/** Neither a lost connection, nor a server that is still loading its data or has lost the second connection. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(?:ERR(?! The client ID you want redirect to)|NOPERM)/u.test(error.message);
}

/**
 * Values that were read from Redis, with those that do not exist, kept until Redis reports a change. Redis remembers which of its keys were
 * read here (client tracking with OPTIN), and reports changes over a second connection. Twice a second a key is read and written, and
 * Redis must report it: this proves that both connections lead to the same server and that no report is missing. Without that proof nothing
 * is kept, and every read goes to Redis.
 */
class TrackedValues {
  readonly #redis: Redis;
  readonly #options: TrackedValuesOptions;
  /** Receives the reports. */
  readonly #reports: Redis;
  readonly #timer: NodeJS.Timeout;
  readonly #readings = new Set<Reading>();
  readonly #probeKeys: readonly string[];
  /** When the probe with this number was sent. */
  readonly #sentAt: (number | undefined)[] = [];
  #values: ReturnType<typeof createHotCache<Value>>;
  #epoch = 0;
  #number = 0;
  /** Of the second connection; absent while it does not listen. */
  #reportsId: string | undefined;
  /** When the last attempt to enable tracking began; infinite while a connection is lost. */
  #begunAt = Number.POSITIVE_INFINITY;
  #isEnabled = false;
  #provenAt = Number.NEGATIVE_INFINITY;

  constructor(redis: Redis, options: TrackedValuesOptions) {
    const { probePrefix, maxValues } = options;
    this.#redis = redis;
    this.#options = options;
    this.#values = createHotCache(maxValues);
    this.#probeKeys = Array.from({ length: probes }, (_, index) => `${probePrefix}${index}`);
    const { connectionName } = redis.options;
    const reports = redis.duplicate({
      connectionName: `${connectionName ?? ""}-reports`,
      autoResubscribe: false,
      // A SUBSCRIBE that is sent again comes before CLIENT ID, which a subscribed connection may not send.
      autoResendUnfulfilledCommands: false,
    });
    // The connection that reads reports its errors, and this one has the same.
    reports.on("error", () => undefined);
    reports.on("ready", () => this.#attempt(() => this.#listen()));
    reports.on("messageBuffer", (_channel: Buffer, keys: unknown) => this.#changed(keys));
    reports.on("close", () => {
      this.#reportsId = undefined;
      this.#lose();
    });
    redis.on("ready", () => this.#attempt(() => this.#track()));
    redis.on("close", () => this.#lose());
    redis.once("end", () => this.close());
    this.#reports = reports;
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
    if (!this.isProven) return this.#redis.mget([...keys]);
    const reading: Reading = { changed: new Set(), epoch: this.#epoch };
    this.#readings.add(reading);
    try {
      // Redis tracks the keys of the command that follows this one, and both are sent in this tick.
      const isTracked = this.#redis.client("CACHING", "YES").then(
        () => true,
        () => false,
      );
      const values = await this.#redis.mget([...keys]);
      if (!(await isTracked)) this.#beginAgain();
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
    this.#reports.disconnect();
  }

  #attempt(work: () => Promise<void>): void {
    void work().catch((error: unknown) => {
      // A lost or silent connection is made again, and this is tried again.
      if (!isRefusal(error)) return;
      this.#options.onRefused(error);
      this.close();
    });
  }

  async #listen(): Promise<void> {
    this.#begunAt = this.#options.clock.now();
    const id = await this.#reports.client("ID");
    await this.#reports.subscribe(channel);
    this.#reportsId = String(id);
    if (this.#redis.status === "ready") await this.#track();
  }

  async #track(): Promise<void> {
    const id = this.#reportsId;
    if (id === undefined) return;
    this.#begunAt = this.#options.clock.now();
    await this.#redis.call("client", "tracking", "on", "redirect", id, "optin");
    if (id !== this.#reportsId) return;
    this.#isEnabled = true;
    this.#probe();
  }

  #probe(): void {
    const redis = this.#redis;
    const now = this.#options.clock.now();
    if (redis.status !== "ready") return;
    // A connection on which nothing is reported any more, or that never answers, looks healthy from here.
    if (now - Math.max(this.#provenAt, this.#begunAt) >= silentMs) this.#beginAgain();
    if (!this.#isEnabled) return;
    this.#number = (this.#number + 1) % probes;
    const key = this.#probeKeys[this.#number];
    if (key === undefined) return;
    this.#sentAt[this.#number] = now;
    const answers = [redis.client("CACHING", "YES"), redis.get(key), redis.set(key, "", "PX", probeLifeMs)];
    void Promise.all(answers).catch(() => undefined);
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

  /** A new second connection enables tracking again. */
  #beginAgain(): void {
    this.#lose();
    this.#reports.disconnect(true);
  }

  #lose(): void {
    this.#provenAt = Number.NEGATIVE_INFINITY;
    this.#begunAt = Number.POSITIVE_INFINITY;
    this.#isEnabled = false;
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
