import { setTimeout as delay } from "node:timers/promises";
import type { RegionFeed } from "@postern/shared/domain/regions";
import { type FollowDeps, followLog, type Pace } from "./follow-log.ts";
import { isFeedReply } from "./messages.ts";
import { DroppedReply } from "./peer-client.ts";

const shortestPauseMs = 100;
const longestPauseMs = 1000;

function createPace(): Pace {
  let pauseMs = shortestPauseMs;
  return {
    answered: () => {
      pauseMs = shortestPauseMs;
    },
    pause: async (signal) => {
      await delay(pauseMs * (0.5 + Math.random() / 2), undefined, { signal });
      pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    },
  };
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
