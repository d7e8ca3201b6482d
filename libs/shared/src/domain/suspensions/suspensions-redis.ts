import { suspensionsChanged } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import { endsWithin } from "../../platform/concurrency/index.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { suspensionsKey } from "../../platform/redis/keys/general.ts";
import { type Clock, steadyClock } from "../../platform/time/clock.ts";
import { foldedName, type OwnRegion } from "../brute-force/index.ts";
import {
  createWriteSuspension,
  decidedOfSuspensions as decided,
  isOfSite,
  type KeptSuspensions,
  parseSuspension as parse,
  type Suspension,
  type SuspensionWrite,
  writeOf,
} from "./suspension.ts";

/** For so long, a process that still knows the suspension does not take a resumed account for one that Redis has lost. */
const resumedMs = 86_400_000;
const refreshEveryMs = 500;
/** After so long without a read, an operator should know. */
const unreadMs = 10_000;
const versionField = "";

interface Stored {
  readonly text: string;
  readonly suspension: Suspension | undefined;
}

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
  /** Absent without regions. */
  readonly region?: OwnRegion | undefined;
}

/**
 * The accounts that operators have suspended. Each process keeps all of them in memory, so that a check costs no command of Redis and works
 * while Redis is unavailable. An event announces every change, and twice a second a version in Redis is compared, in case an event is lost.
 */
export class Suspensions {
  readonly #deps: SuspensionsDeps;
  readonly #key: string;
  readonly #write: ReturnType<typeof createWriteSuspension>;
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
    this.#write = createWriteSuspension(deps.redis, deps.keyPrefix);
    deps.bus.subscribe(suspensionsChanged, () => void this.#refreshAgain());
    this.#timer = setInterval(() => this.#tick(), refreshEveryMs).unref();
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
    const write: SuspensionWrite = [account, `${Math.ceil(this.#deps.clock.now()) + resumedMs} null`];
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
    writes: readonly SuspensionWrite[],
    kept: Pick<KeptSuspensions, "onlyIfAbsent" | "keepsThoseOfSite">,
  ): Promise<readonly string[]> {
    // What is written back has its revision.
    const region = kept.onlyIfAbsent === true ? undefined : this.#deps.region;
    const written = await this.#write(writes, { ...kept, region: region?.name });
    if (written.length === 0) return [];
    this.#deps.bus.publish(suspensionsChanged, {});
    if (region !== undefined) await this.#tell(region, written);
    await this.#refreshAgain();
    return written;
  }

  /** The values with their revisions. */
  async #tell({ log }: OwnRegion, accounts: readonly string[]): Promise<void> {
    const values = await Promise.all(
      accounts.map((account) => decided(() => this.#deps.redis.hget(this.#key, account))),
    );
    for (const [index, account] of accounts.entries()) {
      const value = values[index];
      if (typeof value === "string") await log.append({ kind: "suspension", account, value });
    }
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
