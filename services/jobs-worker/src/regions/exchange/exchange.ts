import { setTimeout as delay } from "node:timers/promises";
import { createRegionStatuses, type RegionStatuses } from "@postern/shared/domain/regions";
import { endsWithin } from "@postern/shared/platform/concurrency";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { RegionMetrics } from "../region-metrics.ts";
import type { ApplyDeps } from "./apply-events.ts";
import { followPeer } from "./follow-peer.ts";
import { createLease } from "./lease.ts";
import { logFeed, type OwnSide } from "./messages.ts";
import { createPeerClient } from "./peer-client.ts";
import { type PeerRecord, readRecords } from "./peer-record.ts";
import { createPositions, type Positions } from "./positions.ts";

const everyMs = 1000;
/** What is being applied may go on after that: it can be repeated. */
const stopMs = 2000;

const logEveryMs = 10_000;

/** A range error says that this region has no place for the event, which is not a bug. */
function fieldsOf(error: unknown): object {
  return error instanceof RangeError ? { error: error.message } : logFields(fromUnknown(error));
}

/** An outage would cause a line for each event and each second. */
function sparing<Args extends readonly unknown[]>(log: (...args: Args) => void): (...args: Args) => void {
  let nextMs = Number.NEGATIVE_INFINITY;
  return (...args) => {
    if (steadyClock.now() < nextMs) return;
    nextMs = steadyClock.now() + logEveryMs;
    log(...args);
  };
}

/** Whether the client has connected again since the last call. */
function watchReconnects(redis: RedisClient): () => boolean {
  let hasReconnected = false;
  redis.on("ready", () => {
    hasReconnected = true;
  });
  return () => {
    const result = hasReconnected;
    hasReconnected = false;
    return result;
  };
}

interface ExchangeParts {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  /** The clock of Redis. */
  readonly clock: Clock;
  readonly metrics: RegionMetrics;
  readonly logger: Logger;
}

interface LeadingDeps extends Omit<ExchangeParts, "redis" | "keyPrefix"> {
  readonly side: OwnSide;
  readonly positions: Positions;
  readonly statuses: RegionStatuses;
  readonly apply: ApplyDeps;
}

interface Following {
  readonly record: PeerRecord;
  stop(): Promise<void>;
}

function follow(record: PeerRecord, { side, positions, apply }: LeadingDeps): Following {
  const stopping = new AbortController();
  const client = createPeerClient(record.name, side);
  const ended = followPeer({ client, record, positions, apply }, side.appliers.feeds, stopping.signal);
  return {
    record,
    stop: async () => {
      stopping.abort();
      await endsWithin(ended, stopMs);
    },
  };
}

/** What the worker with the lease does: it reads from all other regions, and says how far it has come. */
class Leading {
  readonly #deps: LeadingDeps;
  #followings: readonly Following[] = [];

  constructor(deps: LeadingDeps) {
    this.#deps = deps;
  }

  async begin(): Promise<void> {
    await this.#follow(this.#deps.side.peers);
  }

  /** @throws AppError REDIS_UNAVAILABLE */
  async report(): Promise<void> {
    const statuses = this.#followings.map(({ record }) => record.status);
    for (const name of await this.#deps.statuses.write(statuses)) await this.#forget(name);
  }

  async end(): Promise<void> {
    const ending = this.#followings;
    this.#followings = [];
    this.#measure();
    await Promise.all(ending.map((one) => one.stop()));
  }

  async #follow(peers: readonly string[]): Promise<void> {
    const records = await readRecords(peers, this.#deps.statuses, this.#deps);
    this.#followings = [...this.#followings, ...records.map((record) => follow(record, this.#deps))];
    this.#measure();
  }

  /** The gauges of a worker that does not read have no records. */
  #measure(): void {
    const followings = this.#followings;
    this.#deps.metrics.follow(() => followings.map(({ record }) => record.status));
  }

  /** Removes what is held of a region. One that is still configured is then met as a new one. */
  async #forget(name: string): Promise<void> {
    const { side, positions, statuses } = this.#deps;
    const following = this.#followings.find(({ record }) => record.name === name);
    this.#followings = this.#followings.filter((one) => one !== following);
    await following?.stop();
    await positions.remove(name, [logFeed, ...side.appliers.feeds.map((feed) => feed.name)]);
    await statuses.forgotten(name);
    if (side.peers.includes(name)) await this.#follow([name]);
  }
}

/**
 * Exchanges messages with the other regions while this worker has the lease.
 * @param instance identifies this process among its replicas
 */
export function startExchange(side: OwnSide, { redis, keyPrefix, ...parts }: ExchangeParts, instance: string) {
  const { clock, logger } = parts;
  const lease = createLease(redis, keyPrefix, instance);
  const positions = createPositions(redis, keyPrefix);
  const statuses = createRegionStatuses(redis, keyPrefix, clock);
  const hasReconnected = watchReconnects(redis);
  const apply: ApplyDeps = {
    appliers: side.appliers,
    verifyWrites: () => positions.write(side.region, "writable", "1"),
    onFailed: sparing((kind: string, error: unknown) =>
      logger.warn({ kind, ...fieldsOf(error) }, "an event of another region could not be applied"),
    ),
  };
  const onError = sparing((error: unknown) =>
    logger.warn(logFields(fromUnknown(error)), "the exchange with other regions waits for Redis"),
  );
  const stopping = new AbortController();
  const { signal } = stopping;
  let leading: Leading | undefined;
  const end = async (): Promise<void> => {
    const ending = leading;
    leading = undefined;
    await ending?.end();
  };
  const turn = async (): Promise<void> => {
    const held = await lease.renew();
    // Redis may have lost its data, or its last writes: what is stored says from where on everything is read again.
    if (held !== "renewed" || hasReconnected()) await end();
    if (held === "lost") return;
    if (leading === undefined) {
      const beginning = new Leading({ ...parts, side, positions, statuses, apply });
      await beginning.begin();
      leading = beginning;
    }
    await leading.report();
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      await turn().catch(onError);
      await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await endsWithin(running, stopMs);
      await end();
      await lease.release();
    },
  };
}
