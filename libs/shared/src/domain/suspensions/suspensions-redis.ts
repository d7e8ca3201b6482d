import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { suspensionsChanged } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import { endsWithin } from "../../platform/concurrency/index.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { suspensionsKey } from "../../platform/redis/keys.ts";
import { defineScript } from "../../platform/redis/script.ts";
import { type Clock, steadyClock } from "../../platform/time/clock.ts";
import { foldedName } from "../brute-force/index.ts";
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
  /** The folded name that an operator typed, and not one that a backend returned: it matches accounts in any letter case. */
  isTyped: Type.Optional(Type.Boolean()),
  /** By somebody who is limited to domains. Otherwise, or absent: by the site, which alone may change it. */
  isLimited: Type.Optional(Type.Boolean()),
});
export type Suspension = Readonly<Static<typeof Suspension>>;

/** Whether only those who are not limited to domains may change it. */
export function isOfSite(suspension: Suspension | undefined): boolean {
  return suspension !== undefined && suspension.isLimited !== true;
}

const writeSuspension = {
  name: "writeSuspension",
  lua: writeSuspensionLua,
  keys: ["suspensionsKey"],
  args: ["writes", "maxAccounts", "maxResumed", "onlyIfAbsent", "keepsThoseOfSite"],
} as const;

/** Every process keeps all of them in memory. More accounts are a matter for the directory. */
const maxAccounts = 10_000;
/** Accounts that are resumed within a day. */
const maxResumed = 20_000;
/** For so long, a process that still knows the suspension does not take a resumed account for one that Redis has lost. */
const resumedMs = 86_400_000;
const refreshEveryMs = 500;
/** After so long without a read, an operator should know. */
const unreadMs = 10_000;
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

interface Stored {
  readonly text: string;
  readonly suspension: Suspension | undefined;
}

/** Values that a write leaves as they are. */
type Kept = "onlyIfAbsent" | "keepsThoseOfSite";
type Write = readonly [account: string, value: string];

const writeOf = (suspension: Suspension): Write => [
  suspension.account,
  `${suspension.untilMs ?? 0} ${JSON.stringify(suspension)}`,
];

interface SuspensionsDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly bus: Pick<Bus, "publish" | "subscribe">;
  /** The clock of Redis, which all services share. */
  readonly clock: Clock;
  readonly onRead: (count: number) => void;
  readonly onUnread: (error: unknown) => void;
  /** Nothing has been read for some time. Once, until something is read. */
  readonly onStale: () => void;
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
  #hasTyped = false;
  /** As Redis had it when it was last read. */
  #stored: ReadonlyMap<string, Stored> = new Map();
  #version: string | null = null;
  #readAtMs = Number.NEGATIVE_INFINITY;
  #readAtSteadyMs = steadyClock.now();
  #isStale = false;
  #onNew: ((accounts: readonly string[]) => void) | undefined;
  #reading: Promise<void> | undefined;

  constructor(deps: SuspensionsDeps) {
    this.#deps = deps;
    this.#key = suspensionsKey.build(deps.keyPrefix);
    this.#write = defineScript(deps.redis, writeSuspension);
    deps.bus.subscribe(suspensionsChanged, () => void this.#refreshAgain());
    this.#timer = setInterval(() => this.#tick(), refreshEveryMs);
    this.#timer.unref();
    deps.redis.on("ready", () => void this.#refreshAgain());
    deps.redis.once("end", () => this.close());
  }

  /** From memory. */
  find(account: string): Suspension | undefined {
    if (this.#known.size === 0) return undefined;
    const found = this.#known.get(account);
    if (found !== undefined && this.#isInForce(found)) return found;
    const typed = this.#hasTyped ? this.#known.get(foldedName(account)) : undefined;
    return typed?.isTyped === true && this.#isInForce(typed) ? typed : undefined;
  }

  /** Whether any account is suspended, from memory. */
  get isAny(): boolean {
    for (const one of this.#known.values()) if (this.#isInForce(one)) return true;
    return false;
  }

  /** Whether Redis has been read since this process started: until then, no suspension is known. */
  get hasRead(): boolean {
    return this.#readAtMs !== Number.NEGATIVE_INFINITY;
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
   * Replaces an earlier suspension of the account, one by the site only if this one is by the site.
   * @returns false if that one stays, or too many accounts are suspended. @throws AppError REDIS_UNAVAILABLE
   */
  async suspend(suspension: Suspension): Promise<boolean> {
    const keepsThoseOfSite = suspension.isLimited === true;
    return (await this.#put([writeOf(suspension)], { keepsThoseOfSite })).length === 1;
  }

  /**
   * @param isLimited leaves a suspension by the site in force
   * @returns false if it is. @throws AppError REDIS_UNAVAILABLE
   */
  async resume(account: string, isLimited = false): Promise<boolean> {
    // Also without one: Redis may have lost it, and a process that still knows it must not put it back.
    const write: Write = [account, `${Math.ceil(this.#deps.clock.now()) + resumedMs} null`];
    const written = await this.#put([write], { keepsThoseOfSite: isLimited });
    if (written.length > 0) return true;
    if (isLimited && isOfSite(await this.read(account))) return false;
    throw new AppError("REDIS_UNAVAILABLE", { detail: "too many accounts were resumed within a day" });
  }

  /** Reads Redis if anything has changed; what is known stays in force otherwise. @throws AppError REDIS_UNAVAILABLE */
  refresh(): Promise<void> {
    this.#reading ??= this.#refresh().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Calls this with accounts whose suspension is new to this process, those of the first read included. */
  onNew(listener: (accounts: readonly string[]) => void): void {
    this.#onNew = listener;
  }

  /** Resolves when Redis has been read, so that the service can serve requests; without Redis, after this time. */
  async ready(waitMs: number): Promise<void> {
    const { redis, onRead, onUnread } = this.#deps;
    const connected = Promise.withResolvers<void>();
    redis.once("ready", connected.resolve);
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

  /** @returns the accounts that were written */
  async #put(
    writes: readonly Write[],
    { onlyIfAbsent = false, keepsThoseOfSite = false }: Readonly<Partial<Record<Kept, boolean>>>,
  ): Promise<readonly string[]> {
    const kept = { onlyIfAbsent: onlyIfAbsent ? 1 : 0, keepsThoseOfSite: keepsThoseOfSite ? 1 : 0 };
    const args = { writes: JSON.stringify(writes), maxAccounts, maxResumed, ...kept };
    const reply = await decided(() => this.#write({ suspensionsKey: this.#key }, args));
    const written: readonly string[] = Array.isArray(reply) ? reply.map(String) : [];
    if (written.length > 0) {
      this.#deps.bus.publish(suspensionsChanged, {});
      await this.#refreshAgain();
    }
    return written;
  }

  #tick(): void {
    void this.refresh().catch(() => undefined);
    if (this.#isStale || steadyClock.now() - this.#readAtSteadyMs < unreadMs) return;
    this.#isStale = true;
    this.#deps.onStale();
  }

  /** A read that is under way may have begun before the change. */
  async #refreshAgain(): Promise<void> {
    await this.#reading?.catch(() => undefined);
    await this.refresh().catch(() => undefined);
  }

  async #refresh(): Promise<void> {
    const { redis, clock } = this.#deps;
    const version = await decided(() => redis.hget(this.#key, versionField));
    if (version !== this.#version) this.#take(await decided(() => redis.hgetall(this.#key)));
    this.#readAtMs = clock.now();
    this.#readAtSteadyMs = steadyClock.now();
    this.#isStale = false;
  }

  /** Replaces what is known, and keeps what Redis has lost. */
  #take(read: Readonly<Record<string, string>>): void {
    const { [versionField]: version = null, ...fields } = read;
    const stored = new Map<string, Stored>();
    const known = new Map<string, Suspension>();
    for (const [account, text] of Object.entries(fields)) {
      const before = this.#stored.get(account);
      const one = before?.text === text ? before : { text, suspension: parse(text) };
      stored.set(account, one);
      if (one.suspension !== undefined) known.set(account, one.suspension);
    }
    const isRecent = this.#deps.clock.now() - this.#readAtMs < resumedMs;
    const lost = isRecent ? this.all.filter(({ account }) => !stored.has(account)) : [];
    for (const one of lost) known.set(one.account, one);
    const isNew = ({ account, session }: Suspension): boolean => this.#known.get(account)?.session !== session;
    const added = [...known.values()].filter(isNew).map(({ account }) => account);
    this.#known = known;
    this.#hasTyped = [...known.values()].some(({ isTyped }) => isTyped === true);
    this.#stored = stored;
    this.#version = version;
    if (added.length > 0) this.#onNew?.(added);
    if (lost.length > 0) void this.#restore(lost);
  }

  /** Redis was restarted without its data, or a replica without the last writes took over: the accounts stay suspended. */
  async #restore(lost: readonly Suspension[]): Promise<void> {
    try {
      for (const account of await this.#put(lost.map(writeOf), { onlyIfAbsent: true })) this.#deps.onRestored(account);
    } catch {
      // Read again, and tried again, with the next change of the version.
      this.#version = "unknown";
    }
  }
}
