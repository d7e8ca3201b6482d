import { setTimeout as delay } from "node:timers/promises";
import { maxEventBytes, type RegionAppliers, type RegionEvent, readRegionEvent } from "@postern/shared/domain/regions";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { PeerRecord } from "./peer-record.ts";

export interface Arrived {
  readonly value: unknown;
  /** How old it was when it arrived, at this time of `steadyClock`. */
  readonly ageMs: number;
  readonly arrivedMs: number;
}

interface Readable extends Arrived {
  readonly event: RegionEvent;
}

export interface ApplyDeps {
  readonly appliers: Pick<RegionAppliers, "apply">;
  /** Rejects while Redis accepts no writes. */
  readonly verifyWrites: () => Promise<void>;
  readonly onFailed: (kind: string, error: unknown) => void;
}

const concurrency = 32;
/** An event that fails so often although Redis works would hold up those behind it forever. */
const maxRounds = 5;
const pauseMs = 250;
const longestPauseMs = 2000;

function readable(arrived: readonly Arrived[], record: PeerRecord): readonly Readable[] {
  return arrived.flatMap((one) => {
    const isLarge = Buffer.byteLength(JSON.stringify(one.value)) > maxEventBytes;
    const event = isLarge ? "oversized" : readRegionEvent(one.value);
    // The first entry of a log says nothing.
    if (typeof event === "object") return event.kind === "begun" ? [] : { ...one, event };
    record.dropped(event);
    return [];
  });
}

/** Returns those that may succeed later. */
async function applyOnce(
  events: readonly Readable[],
  record: PeerRecord,
  { appliers, onFailed }: ApplyDeps,
): Promise<readonly Readable[]> {
  const left: Readable[] = [];
  const queue = events.values();
  const work = async (): Promise<void> => {
    for (const one of queue) {
      try {
        await appliers.apply(one.event, { region: record.name, ageMs: one.ageMs + steadyClock.now() - one.arrivedMs });
        record.applied(1);
      } catch (error) {
        onFailed(one.event.kind, error);
        if (error instanceof AppError) left.push(one);
        else record.dropped("failed");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, events.length) }, work));
  return left;
}

/**
 * Applies events of another region, in any order. Waits for Redis as long as necessary.
 * @throws when the signal aborts
 */
export async function applyEvents(
  arrived: readonly Arrived[],
  record: PeerRecord,
  deps: ApplyDeps,
  signal: AbortSignal,
): Promise<void> {
  let left = readable(arrived, record);
  for (let round = 1; left.length > 0; round += 1) {
    signal.throwIfAborted();
    left = await applyOnce(left, record, deps);
    if (left.length === 0) return;
    const isGivenUp = round >= maxRounds && (await canWrite(deps));
    if (isGivenUp) return record.dropped("failed", left.length);
    await delay(Math.min(pauseMs * 2 ** round, longestPauseMs), undefined, { signal });
  }
}

function canWrite({ verifyWrites }: ApplyDeps): Promise<boolean> {
  return verifyWrites().then(
    () => true,
    () => false,
  );
}
