import type { DropReason, RegionStatus, RegionStatuses } from "@postern/shared/domain/regions";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { RegionMetrics } from "../region-metrics.ts";

/** A link without a reply for this long is down. Requests are answered each second. */
const downAfterMs = 5000;
/** For this long, the delay of the last entry counts as that of the link. */
const lagIsRecentMs = 60_000;

interface PeerRecordDeps {
  /** The clock of Redis. */
  readonly clock: Clock;
  readonly metrics: Pick<RegionMetrics, "applied" | "dropped">;
  readonly logger: Logger;
}

/** What this worker knows about one other region. */
export class PeerRecord {
  readonly name: string;
  readonly #deps: PeerRecordDeps;
  #status: RegionStatus;
  #error: unknown;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #lagAtMs = Number.NEGATIVE_INFINITY;
  /** When nothing was waiting last. */
  #caughtUpAtMs = steadyClock.now();

  /** @param before what an earlier worker knew */
  constructor(name: string, deps: PeerRecordDeps, before?: RegionStatus) {
    this.name = name;
    this.#deps = deps;
    this.#status = before ?? { name, link: "down", sinceMs: this.#now(), applied: 0, dropped: {}, waiting: 0 };
    // Another worker takes over without a change of the link.
    if (before?.link === "up") this.#answeredAtMs = steadyClock.now();
  }

  answered(): void {
    this.#answeredAtMs = steadyClock.now();
    this.#error = undefined;
    this.#status = { ...this.#status, lastMessageMs: this.#now() };
    this.#setLink("up");
  }

  failed(error: unknown): void {
    this.#error = error;
  }

  applied(count: number): void {
    this.#status = { ...this.#status, applied: this.#status.applied + count };
    this.#deps.metrics.applied(this.name, count);
  }

  /** Of the newest entry: from its writing in the other region to its effect in this one. */
  tookEffectAfter(lagMs: number): void {
    this.#lagAtMs = steadyClock.now();
    this.#status = { ...this.#status, lagMs: Math.max(0, Math.round(lagMs)) };
  }

  dropped(reason: DropReason, count = 1): void {
    if (count === 0) return;
    const { dropped } = this.#status;
    this.#status = { ...this.#status, dropped: { ...dropped, [reason]: (dropped[reason] ?? 0) + count } };
    this.#deps.metrics.dropped(this.name, reason, count);
  }

  reached(position: string, waiting: number): void {
    if (waiting === 0) this.#caughtUpAtMs = steadyClock.now();
    this.#status = { ...this.#status, position, waiting };
  }

  tookSnapshot(): void {
    this.#status = { ...this.#status, snapshotMs: this.#now() };
  }

  get status(): RegionStatus {
    const nowMs = steadyClock.now();
    if (nowMs - this.#answeredAtMs > downAfterMs) this.#setLink("down");
    const { link, waiting, lagMs } = this.#status;
    if (link === "down" || waiting > 0) return { ...this.#status, lagMs: nowMs - this.#caughtUpAtMs };
    return nowMs - this.#lagAtMs > lagIsRecentMs && lagMs !== undefined ? { ...this.#status, lagMs: 0 } : this.#status;
  }

  #now(): number {
    return Math.floor(this.#deps.clock.now());
  }

  #setLink(link: "up" | "down"): void {
    if (this.#status.link === link) return;
    this.#status = { ...this.#status, link, sinceMs: this.#now() };
    const { logger } = this.#deps;
    const region = this.name;
    if (link === "up") logger.info({ region }, "the other region answers");
    else logger.warn({ region, ...logFields(fromUnknown(this.#error)) }, "the other region does not answer");
  }
}

/** Records that go on with what an earlier worker wrote. */
export function createRecordsOf(statuses: Pick<RegionStatuses, "read">, deps: PeerRecordDeps) {
  return async (peers: readonly string[]): Promise<readonly PeerRecord[]> => {
    const { regions } = await statuses.read();
    return peers.map((peer) => {
      const found = regions.find(({ name }) => name === peer);
      if (found === undefined) return new PeerRecord(peer, deps);
      const { isForgetting: _, ...before } = found;
      return new PeerRecord(peer, deps, before);
    });
  };
}
