import type { RegionEvent } from "./events.ts";

/** Where an event comes from. */
export interface RegionOrigin {
  /** Name of the other region. */
  readonly region: string;
  /**
   * Time since the event was written to the log, measured by the clock of that region's Redis; the way between the regions is not included.
   * What `remainingMs` said then has shrunk by it. 0 for an event of a snapshot.
   */
  readonly ageMs: number;
}

/** A part of a region's state as events, and where the next part begins; without it, this was the last one. */
export interface SnapshotPage {
  readonly events: readonly RegionEvent[];
  readonly next?: string | undefined;
}

/**
 * A register that changes too often for a log: others read what has changed since they last asked. Items are JSON values.
 */
export interface RegionFeed {
  /** The same in all regions, and no longer than 20 characters. */
  readonly name: string;
  /** Pause between two readings that found nothing. */
  readonly everyMs: number;
  /**
   * This region's items after a place that an earlier reading returned, at most 1000 in 200 KiB. Without a place, or with one that is unknown
   * here, for example after a loss of Redis, it begins with the first. `isLast`: nothing more is waiting.
   */
  read(from: string | undefined): Promise<{ items: readonly unknown[]; next: string; isLast: boolean }>;
  /** Merges items of another region. Idempotent. Returns how many were malformed. */
  apply(region: string, items: readonly unknown[]): Promise<number>;
}

/**
 * How the state of this region and that of others are merged. Every part can be repeated, and events come in any order.
 */
export interface RegionAppliers {
  /**
   * @throws AppError for what may succeed later, for example without Redis: the event is tried again. After any other error it is dropped and
   * counted.
   */
  apply(event: RegionEvent, origin: RegionOrigin): Promise<void>;
  /** Pages over what is in force in this region, for one that has lost its place in the log; at most 500 events in one page. */
  snapshot(from: string | undefined): Promise<SnapshotPage>;
  readonly feeds: readonly RegionFeed[];
}
