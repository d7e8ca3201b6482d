import { steadyClock } from "@postern/shared/platform/time";
import { type ApplyDeps, type Arrived, applyEvents } from "./apply-events.ts";
import { type Batch, isLogReply, isSnapshotReply, type LogReply, logFeed, snapshotFeed } from "./messages.ts";
import type { PeerClient, Pulled } from "./peer-client.ts";
import type { PeerRecord } from "./peer-record.ts";
import type { Positions } from "./positions.ts";

/** The pause after a failed request: short, because a link that returns should be used soon. */
export interface Pace {
  answered(): void;
  pause(signal: AbortSignal): Promise<void>;
}

/** What reading from one other region needs. */
export interface FollowDeps {
  readonly client: PeerClient;
  readonly record: PeerRecord;
  readonly positions: Positions;
  readonly apply: ApplyDeps;
  readonly pace: Pace;
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
export async function followLog(deps: FollowDeps, signal: AbortSignal): Promise<never> {
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
