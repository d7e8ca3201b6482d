import { setTimeout as delay } from "node:timers/promises";
import type { RegionFeed } from "@postern/shared/domain/regions";
import { steadyClock } from "@postern/shared/platform/time";
import { type ApplyDeps, type Arrived, applyEvents } from "./apply-events.ts";
import {
  type Batch,
  isFeedReply,
  isLogReply,
  isSnapshotReply,
  type LogReply,
  logFeed,
  snapshotFeed,
} from "./messages.ts";
import { DroppedReply, type PeerClient, type Pulled } from "./peer-client.ts";
import type { PeerRecord } from "./peer-record.ts";
import type { Positions } from "./positions.ts";

const shortestPauseMs = 100;
const longestPauseMs = 1000;

/** The pause after a failed request: short, because a link that returns should be used soon. */
function createPace() {
  let pauseMs = shortestPauseMs;
  return {
    answered: (): void => {
      pauseMs = shortestPauseMs;
    },
    pause: async (signal: AbortSignal): Promise<void> => {
      await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    },
  };
}

/** What reading from one other region needs. */
interface FollowDeps {
  readonly client: PeerClient;
  readonly record: PeerRecord;
  readonly positions: Positions;
  readonly apply: ApplyDeps;
  readonly pace: ReturnType<typeof createPace>;
}

/** The way takes half of what is not the wait of the request. */
function wayMs({ reply, tookMs }: Pulled<Batch>): number {
  return Math.max(0, tookMs - reply.heldMs) / 2;
}

function arrivedIn(pulled: Pulled<Batch>): readonly Arrived[] {
  const arrivedMs = steadyClock.now();
  return pulled.reply.entries.map(([ageMs, value]) => ({ value, ageMs: ageMs + wayMs(pulled), arrivedMs }));
}

/** Reads everything that is in force in the other region. */
async function takeSnapshot({ client, record, apply, pace }: FollowDeps, signal: AbortSignal): Promise<void> {
  let from: string | undefined;
  do {
    const { reply, tookMs } = await client.pull({ feed: snapshotFeed, from }, isSnapshotReply, signal);
    record.answered();
    pace.answered();
    const arrivedMs = steadyClock.now();
    const arrived = reply.events.map((value) => ({ value, ageMs: tookMs, arrivedMs }));
    await applyEvents(arrived, record, apply, signal);
    from = reply.next;
  } while (from !== undefined);
  record.tookSnapshot();
}

async function applyBatch(pulled: Pulled<Batch>, { record, apply }: FollowDeps, signal: AbortSignal): Promise<void> {
  const arrived = arrivedIn(pulled);
  await applyEvents(arrived, record, apply, signal);
  const newest = arrived.at(-1);
  if (newest !== undefined) record.tookEffectAfter(newest.ageMs + steadyClock.now() - newest.arrivedMs);
}

/**
 * Applies what the other region tells, from the stored position on. The next part is under way while one is applied.
 * @throws when a request fails, Redis does not answer, or the signal aborts
 */
async function followLog(deps: FollowDeps, signal: AbortSignal): Promise<never> {
  const { client, positions, record, pace } = deps;
  const pull = (from: string | undefined): Promise<Pulled<LogReply>> =>
    client.pull({ feed: logFeed, from }, isLogReply, signal);
  let position = await positions.read(record.name, logFeed);
  let early: Promise<Pulled<LogReply>> | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { reply, tookMs } = await (early ?? pull(position));
    early = undefined;
    record.answered();
    pace.answered();
    if ("gone" in reply) {
      await takeSnapshot(deps, signal);
      // Not stored: by the time it is used again, the log may have lost entries.
      position = reply.gone;
      continue;
    }
    if (reply.waiting > 0) {
      early = pull(reply.next);
      // It is awaited later, or never if this batch cannot be applied.
      early.catch(() => undefined);
    }
    await applyBatch({ reply, tookMs }, deps, signal);
    if (reply.next !== position) await positions.write(record.name, logFeed, reply.next);
    position = reply.next;
    record.reached(position, reply.waiting);
  }
}

/** Reads a feed of the other region until something fails. */
async function followFeed(feed: RegionFeed, { client, record, positions }: FollowDeps, signal: AbortSignal) {
  let position = await positions.read(record.name, feed.name);
  for (;;) {
    const { reply } = await client.pull({ feed: feed.name, from: position }, isFeedReply, signal);
    record.answered();
    if (reply.items.length > 0) record.dropped("malformed", await feed.apply(record.name, reply.items));
    if (reply.next !== position) await positions.write(record.name, feed.name, reply.next);
    position = reply.next;
    if (reply.isLast) await delay(feed.everyMs, undefined, { signal });
  }
}

async function repeated(
  follow: (deps: FollowDeps, signal: AbortSignal) => Promise<unknown>,
  deps: Omit<FollowDeps, "pace">,
  signal: AbortSignal,
): Promise<void> {
  const pace = createPace();
  while (!signal.aborted) {
    try {
      await follow({ ...deps, pace }, signal);
    } catch (error) {
      if (signal.aborted) return;
      deps.record.failed(error);
      if (error instanceof DroppedReply) deps.record.dropped(error.reason);
      await pace.pause(signal).catch(() => undefined);
    }
  }
}

/** Reads what one other region tells until the signal aborts. Never rejects. */
export async function followPeer(
  deps: Omit<FollowDeps, "pace">,
  feeds: readonly RegionFeed[],
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([
    repeated(followLog, deps, signal),
    ...feeds.map((feed) => repeated((all, one) => followFeed(feed, all, one), deps, signal)),
  ]);
}
