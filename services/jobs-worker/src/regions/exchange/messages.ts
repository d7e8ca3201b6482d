import type { RegionAppliers, RegionEnvelope } from "@postern/shared/domain/regions";
import { type Bus, compileCheck } from "@postern/shared/platform/bus";
import { type Static, Type } from "typebox";

/** This region, and what it exchanges with the others. */
export interface OwnSide {
  readonly bus: Pick<Bus, "rawRequest" | "rawServe">;
  readonly region: string;
  readonly peers: readonly string[];
  readonly envelope: RegionEnvelope;
  readonly appliers: RegionAppliers;
}

/** The method of a region's workers with which the others read what it tells. */
export const pullMethod = (region: string) => ({ service: region, name: "pull", major: 1 });

/** Feeds that every region has; `RegionFeed` are the others. */
export const logFeed = "log";
export const snapshotFeed = "snapshot";

/** The longest time for which a request waits for something new. */
export const longestWaitMs = 1000;
/** Bytes of sealed events in one reply. */
export const maxBatchBytes = 256 * 1024;
export const maxBatchEntries = 1000;
/** Bytes of a reply, below the limit with which NATS is set up for Postern. A larger one is none of ours. */
export const maxReplyBytes = 3.5 * 1024 * 1024;

/** In the log, before its oldest entry, whichever that is. */
export const oldestPosition = "0";

const position = Type.String({ minLength: 1, maxLength: 4096 });

export const isRequest = compileCheck(
  Type.Object({
    feed: Type.String({ minLength: 1, maxLength: 20 }),
    from: Type.Optional(position),
    nonce: Type.String({ minLength: 16, maxLength: 64 }),
  }),
);

/** The log does not have the position: the state is read as a snapshot, and then the log from here. */
const Gone = Type.Object({ gone: position });

const Batch = Type.Object({
  /** Age in milliseconds, and the event; anything else is skipped, and counted. */
  entries: Type.Array(Type.Tuple([Type.Number({ minimum: 0 }), Type.Unknown()]), { maxItems: maxBatchEntries }),
  next: position,
  /** Entries behind these. */
  waiting: Type.Integer({ minimum: 0 }),
  /** Time for which the request waited. */
  heldMs: Type.Number({ minimum: 0 }),
});

/** What a region replies to a request for its log. */
export const isLogReply = compileCheck(Type.Union([Gone, Batch]));
export type Batch = Static<typeof Batch>;
export type LogReply = Batch | Static<typeof Gone>;

export const isSnapshotReply = compileCheck(
  Type.Object({
    events: Type.Array(Type.Unknown(), { maxItems: 10_000 }),
    next: Type.Optional(position),
  }),
);

export const isFeedReply = compileCheck(
  Type.Object({
    items: Type.Array(Type.Unknown(), { maxItems: maxBatchEntries }),
    next: position,
    isLast: Type.Boolean(),
  }),
);
