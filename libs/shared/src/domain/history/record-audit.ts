import { endsWithin } from "../../platform/concurrency/index.ts";
import { auditHistoryKey } from "../../platform/redis/keys/history.ts";
import { defineVariableScript } from "../../platform/redis/script.ts";
import addAuditRecordsLua from "./scripts/add-audit-records.lua?raw";
import { type HistoryStore, sealRecord } from "./store.ts";

/** An audit record as its line has it, with time and process. */
export type AuditEntry = Readonly<Record<string, string>>;

/** Where a record is kept. Denials without an identified actor can be caused by anyone, in any number. */
export const auditHistoryKinds = ["identified", "unidentified"] as const;
type AuditHistoryKind = (typeof auditHistoryKinds)[number];

function kindOf(entry: AuditEntry): AuditHistoryKind {
  return entry["actor"] === undefined && entry["outcome"] !== "ok" ? "unidentified" : "identified";
}

type AuditWriterOptions = HistoryStore & {
  readonly limits: { readonly lifeSeconds: number; readonly maxRecords: number };
};

/** The result rejects if it is not known that all entries were written. */
export function createAuditHistoryWriter({ redis, keyPrefix, keys, limits }: AuditWriterOptions) {
  const run = defineVariableScript(redis, { name: "addAuditRecords", lua: addAuditRecordsLua }, 1);
  return async (kind: AuditHistoryKind, entries: readonly AuditEntry[]): Promise<void> => {
    const key = auditHistoryKey.build(keyPrefix, kind);
    const sealed = entries.map((entry) => sealRecord(keys, key, entry));
    await run([key], [limits.lifeSeconds, limits.maxRecords, ...sealed]);
  };
}

const flushMs = 500;
const closeMs = 3000;
/** How many of each kind wait; each takes a few hundred bytes. */
const maxWaiting = 2048;
/** Sealing takes about 25 µs each, in the event loop. */
const maxBatch = 128;

interface AuditRecorderOptions {
  readonly write: ReturnType<typeof createAuditHistoryWriter>;
  /** While false, records wait, up to a bound. */
  readonly isReady: () => boolean;
  readonly onWritten: (count: number) => void;
  readonly onLost: (count: number, error?: unknown) => void;
}

/** Copies audit records to Redis. Nothing waits for it. */
export function createAuditHistoryRecorder({ write, isReady, onWritten, onLost }: AuditRecorderOptions) {
  const newQueue = (kind: AuditHistoryKind) => {
    const entries: AuditEntry[] = [];
    let busy: Promise<void> | undefined;
    /** Sends one batch at a time, and none again: Redis may have written it although the connection was lost. */
    const send = async (): Promise<void> => {
      while (entries.length > 0 && isReady()) {
        const batch = entries.splice(0, maxBatch);
        try {
          // In order, so that the stream has the order of the records.
          // oxlint-disable-next-line no-await-in-loop
          await write(kind, batch);
          onWritten(batch.length);
        } catch (error) {
          onLost(batch.length, error);
        }
      }
      busy = undefined;
    };
    const flush = (): Promise<void> | undefined => {
      if (busy === undefined && entries.length > 0 && isReady()) busy = send();
      return busy;
    };
    return { entries, flush };
  };
  const queues = { identified: newQueue("identified"), unidentified: newQueue("unidentified") };
  const flush = () => Promise.all([queues.identified.flush(), queues.unidentified.flush()]);
  const timer = setInterval(() => void flush(), flushMs).unref();
  return {
    note: (entry: AuditEntry): void => {
      const { entries } = queues[kindOf(entry)];
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
