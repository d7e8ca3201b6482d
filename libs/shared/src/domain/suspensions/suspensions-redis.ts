import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { suspensionsChanged } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import { endsWithin } from "../../platform/concurrency/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { suspensionsKey } from "../../platform/redis/keys.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { Clock } from "../../platform/time/clock.ts";
import writeSuspensionLua from "./scripts/write-suspension.lua?raw";

/** An account that an operator has suspended. Times in milliseconds since the epoch. */
const Suspension = Type.Object({
  account: Type.String(),
  sinceMs: Type.Number(),
  /** Absent: until it is resumed. */
  untilMs: Type.Optional(Type.Number()),
  /** Text for the user. */
  reason: Type.Optional(Type.String()),
  /** The API caller, or the operator. */
  by: Type.String(),
  /** GUID of the request. */
  session: Type.String(),
});
export type Suspension = Readonly<Static<typeof Suspension>>;

const writeSuspension = {
  name: "writeSuspension",
  lua: writeSuspensionLua,
  keys: ["suspensionsKey"],
  args: ["account", "value", "maxAccounts", "onlyIfAbsent"],
} as const;

/** Every process keeps all of them in memory. More accounts are a matter for the directory. */
const maxAccounts = 10_000;
/** For so long, a process that still knows the suspension does not take a resumed account for one that Redis has lost. */
const resumedMs = 86_400_000;
const refreshEveryMs = 500;
const versionField = "";

const decided = decidedInRedis("suspended accounts cannot be read or written");

/** Undefined for an account that was resumed, and for what this version cannot read. */
function parse(stored: string): Suspension | undefined {
  try {
    const value: unknown = JSON.parse(stored.slice(stored.indexOf(" ") + 1));
    return Value.Check(Suspension, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface SuspensionsDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  /** The clock of Redis, which all services share. */
  readonly clock: Clock;
  readonly onRead: (count: number) => void;
  readonly onUnread: (error: unknown) => void;
  /** Redis had lost the suspension of an account, and has it again. */
  readonly onRestored: (account: string) => void;
}

/**
 * The accounts that operators have suspended. Each process keeps all of them in memory, so that a check costs no command of Redis and works
 * while Redis is unavailable. An event announces every change, and twice a second a version in Redis is compared, in case an event is lost.
 */
export class Suspensions {
  readonly #deps: SuspensionsDeps;
  readonly #key: string;
  readonly #write: ReturnType<typeof defineScript<"suspensionsKey", (typeof writeSuspension.args)[number]>>;
  readonly #timer: NodeJS.Timeout;
  #known: ReadonlyMap<string, Suspension> = new Map();
  #version: string | null = null;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(deps: SuspensionsDeps) {
    this.#deps = deps;
    this.#key = suspensionsKey.build(deps.keyPrefix);
    this.#write = defineScript(deps.redis, writeSuspension);
    deps.bus.subscribe(suspensionsChanged, () => void this.#refreshAgain());
    this.#timer = setInterval(() => void this.refresh().catch(() => undefined), refreshEveryMs);
    this.#timer.unref();
    deps.redis.once("end", () => this.close());
  }

  /** From memory. */
  find(account: string): Suspension | undefined {
    if (this.#known.size === 0) return undefined;
    const found = this.#known.get(account);
    return found !== undefined && this.#isInForce(found) ? found : undefined;
  }

  /** Whether any account is suspended, from memory. */
  get isAny(): boolean {
    for (const one of this.#known.values()) if (this.#isInForce(one)) return true;
    return false;
  }

  /** Suspensions in force, from memory. */
  get all(): readonly Suspension[] {
    return [...this.#known.values()].filter((one) => this.#isInForce(one));
  }

  /** From Redis, for what must not miss a suspension of this moment. @throws AppError REDIS_UNAVAILABLE */
  async read(account: string): Promise<Suspension | undefined> {
    const stored = await decided(() => this.#deps.redis.hget(this.#key, account));
    const found = stored === null ? undefined : parse(stored);
    return found !== undefined && this.#isInForce(found) ? found : undefined;
  }

  /**
   * Replaces an earlier suspension of the account.
   * @returns false if too many accounts are suspended. @throws AppError REDIS_UNAVAILABLE
   */
  async suspend(suspension: Suspension): Promise<boolean> {
    const { account, untilMs = 0 } = suspension;
    return this.#put(account, `${untilMs} ${JSON.stringify(suspension)}`);
  }

  /** @returns what was in force. @throws AppError REDIS_UNAVAILABLE */
  async resume(account: string): Promise<Suspension | undefined> {
    const found = await this.read(account);
    // Also without one: Redis may have lost it, and a process that still knows it must not put it back.
    await this.#put(account, `${Math.ceil(this.#deps.clock.now()) + resumedMs} null`);
    return found;
  }

  /** Reads Redis if anything has changed; what is known stays in force otherwise. @throws AppError REDIS_UNAVAILABLE */
  refresh(): Promise<void> {
    this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Resolves when Redis has been read, so that the service can serve requests; without Redis, after this time. */
  async ready(waitMs: number): Promise<void> {
    const { redis, onRead, onUnread } = this.#deps;
    const connected = Promise.withResolvers<void>();
    redis.once("ready", connected.resolve);
    // Redis cannot be reached.
    redis.once("close", connected.resolve);
    if (redis.status !== "ready") await endsWithin(connected.promise, waitMs);
    const read = this.refresh().then(() => onRead(this.#known.size), onUnread);
    await endsWithin(read, waitMs);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #isInForce({ untilMs }: Suspension): boolean {
    return untilMs === undefined || untilMs > this.#deps.clock.now();
  }

  async #put(account: string, value: string, onlyIfAbsent = false): Promise<boolean> {
    const args = { account, value, maxAccounts, onlyIfAbsent: onlyIfAbsent ? 1 : 0 };
    const isWritten = (await decided(() => this.#write({ suspensionsKey: this.#key }, args))) === 1;
    if (isWritten) {
      this.#deps.bus.publish(suspensionsChanged, {});
      await this.#refreshAgain();
    }
    return isWritten;
  }

  /** A read that is under way may have begun before the change. */
  async #refreshAgain(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.refresh().catch(() => undefined);
  }

  async #refresh(): Promise<void> {
    const { redis, clock } = this.#deps;
    const version = await decided(() => redis.hget(this.#key, versionField));
    if (version !== this.#version) {
      const { [versionField]: current = null, ...fields } = await decided(() => redis.hgetall(this.#key));
      const stored = new Map(Object.entries(fields).map(([account, value]) => [account, parse(value)]));
      const known = new Map<string, Suspension>();
      for (const [account, one] of stored) if (one !== undefined && this.#isInForce(one)) known.set(account, one);
      const lost = this.all.filter(({ account }) => !stored.has(account));
      const isRecent = clock.now() - this.#readAtMs < resumedMs;
      for (const one of isRecent ? lost : []) known.set(one.account, one);
      this.#known = known;
      this.#version = current;
      if (isRecent) for (const one of lost) void this.#restore(one);
    }
    this.#readAtMs = clock.now();
  }

  /** Redis was restarted without its data, or a replica without the last writes took over: the accounts stay suspended. */
  async #restore(suspension: Suspension): Promise<void> {
    const { account, untilMs = 0 } = suspension;
    try {
      const isWritten = await this.#put(account, `${untilMs} ${JSON.stringify(suspension)}`, true);
      if (isWritten) this.#deps.onRestored(account);
    } catch {
      // Read again, and tried again, with the next change of the version.
      this.#version = "unknown";
    }
  }
}
