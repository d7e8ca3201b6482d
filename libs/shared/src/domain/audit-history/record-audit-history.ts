import { endsWithin } from "../../platform/concurrency/index.ts";
import { type AuditEntry, type AuditHistoryKind, auditHistoryKinds, kindOf } from "./audit-entry.ts";
import type { WriteAuditHistory } from "./write-audit-history.ts";

export interface AuditHistoryRecorderDeps {
  readonly write: WriteAuditHistory;
  /** While false, records wait, up to a bound. */
  readonly isReady: () => boolean;
  readonly onWritten: (count: number) => void;
  readonly onLost: (count: number, error?: unknown) => void;
}

const flushMs = 500;
const closeMs = 3000;
/** How many of each kind are kept; each takes a few hundred bytes. */
const maxWaiting = 2048;
/** Sealing takes about 25 µs each, in the event loop. */
const maxBatch = 128;

interface Waiting {
  entries: AuditEntry[];
  busy: Promise<void> | undefined;
}

/** Copies audit records to Redis. Nothing waits for it. */
export function createAuditHistoryRecorder(deps: AuditHistoryRecorderDeps) {
  const { write, isReady, onWritten, onLost } = deps;
  const waiting: Record<AuditHistoryKind, Waiting> = {
    identified: { entries: [], busy: undefined },
    unidentified: { entries: [], busy: undefined },
  };
  /** One batch at a time, and none again: Redis may have written it although the connection was lost. */
  const send = async (kind: AuditHistoryKind, own: Waiting): Promise<void> => {
    while (own.entries.length > 0 && isReady()) {
      const batch = own.entries.splice(0, maxBatch);
      try {
        // In order, so that the stream has the order of the records.
        // oxlint-disable-next-line no-await-in-loop
        await write(kind, batch);
        onWritten(batch.length);
      } catch (error) {
        onLost(batch.length, error);
      }
    }
    own.busy = undefined;
  };
  const flush = (): Promise<unknown> =>
    Promise.all(
      auditHistoryKinds.flatMap((kind) => {
        const own = waiting[kind];
        if (own.busy === undefined && own.entries.length > 0 && isReady()) own.busy = send(kind, own);
        return own.busy === undefined ? [] : [own.busy];
      }),
    );
  const timer = setInterval(() => void flush(), flushMs);
  timer.unref();
  return {
    note: (entry: AuditEntry): void => {
      const { entries } = waiting[kindOf(entry)];
      if (entries.length < maxWaiting) entries.push(entry);
      else onLost(1);
    },
    /** Writes what was gathered, for three seconds at most. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      await endsWithin(
        flush().then(() => flush()),
        closeMs,
      );
    },
  };
}

export type AuditHistoryRecorder = ReturnType<typeof createAuditHistoryRecorder>;
