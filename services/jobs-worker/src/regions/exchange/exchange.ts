import { setTimeout as delay } from "node:timers/promises";
import { createRegionStatuses, type RegionStatuses } from "@postern/shared/domain/regions";
import { endsWithin } from "@postern/shared/platform/concurrency";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { RedisClient } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import type { ApplyDeps } from "./apply-events.ts";
import { followPeer } from "./follow-peer.ts";
import { createLease } from "./lease.ts";
import { logFeed, type OwnSide } from "./messages.ts";
import { createPeerClient } from "./peer-client.ts";
import { type PeerRecord, type PeerRecordDeps, readRecords } from "./peer-record.ts";
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

interface ExchangeParts extends PeerRecordDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
}

interface LeadingDeps extends PeerRecordDeps {
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
async function lead(deps: LeadingDeps) {
  const { side, positions, statuses, metrics } = deps;
  let followings: readonly Following[] = [];
  const set = (next: readonly Following[]): void => {
    followings = next;
    metrics.follow(() => next.map(({ record }) => record.status));
  };
  const followAll = async (peers: readonly string[]): Promise<void> => {
    const records = await readRecords(peers, statuses, deps);
    set([...followings, ...records.map((record) => follow(record, deps))]);
  };
  /** Removes what is held of a region. One that is still configured is then met as a new one. */
  const forget = async (name: string): Promise<void> => {
    const following = followings.find(({ record }) => record.name === name);
    followings = followings.filter((one) => one !== following);
    await following?.stop();
    await positions.remove(name, [logFeed, ...side.appliers.feeds.map((feed) => feed.name)]);
    await statuses.forgotten(name);
    if (side.peers.includes(name)) await followAll([name]);
  };
  await followAll(side.peers);
  return {
    /** @throws AppError REDIS_UNAVAILABLE */
    report: async (): Promise<void> => {
      const written = followings.map(({ record }) => record.status);
      for (const name of await statuses.write(written)) await forget(name);
    },
    end: async (): Promise<void> => {
      const ending = followings;
      set([]);
      await Promise.all(ending.map((one) => one.stop()));
    },
  };
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
  let leading: Awaited<ReturnType<typeof lead>> | undefined;
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
    leading ??= await lead({ ...parts, side, positions, statuses, apply });
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
