import { once } from "node:events";
import { type DestinationStream, destination } from "pino";
import { abortAfter } from "../concurrency/deadline.ts";
import { isJournal, journalPriority } from "./journal-priority.ts";
import { createLineGatherer, type GathererOptions } from "./line-gatherer.ts";

/** A stream that reports immediately whether it dropped a line. */
export interface LineSink {
  /** Returns false if the line was dropped. */
  write(line: string): boolean;
}

/** Learns that lines were lost because standard output was not read. */
export type OutputLosses = Pick<GathererOptions, "onDropped" | "onRoom">;

/** Destination of a process's lines. */
export interface Output {
  /** The stream that pino writes to. */
  readonly lines: DestinationStream;
  /** For lines that are dropped last. */
  readonly kept: LineSink;
  /** Returns false if not everything could be written in time. */
  readonly flush: () => Promise<boolean>;
}

const passEveryMs = 200;
const blockChars = 16_384;
const flushWithinMs = 5000;
/** A reader that accepts nothing for this long is considered hung. */
const stalledAfterMs = 1000;
/** The writer keeps what it could not write, and tries again with the next write. */
const fullDisk: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);
const retryAfterMs = 1000;

/**
 * Maximum that is queued for a hung reader of standard output: some 30,000 lines of decisions, over a second of a gateway at its limit. The
 * last quarter is reserved for warnings, errors and the audit stream.
 */
const maxWaitingBytes = 12 * 1024 * 1024;
const maxWaitingBytesOfAll = 16 * 1024 * 1024;

export type StandardOutput = ReturnType<typeof standardOutput>;

/**
 * Standard output with non-blocking writes. What remains when the process ends is written before pino ends the stream. A process has one,
 * because the lines of several would run into one another.
 */
export function standardOutput() {
  let losses: OutputLosses | undefined;
  const onDropped = (): void => losses?.onDropped();
  const onRoom = (dropped: number): void => losses?.onRoom(dropped);
  const writer = destination({ dest: 1, sync: false });
  const prefixOf = isJournal(1) ? journalPriority : undefined;
  const limits = { blockChars, maxWaitingBytes, maxWaitingBytesOfAll };
  const lines = createLineGatherer(writer, { ...limits, prefixOf, onDropped, onRoom });
  writer.on("write", lines.written);
  let isRetrying = false;
  const retry = (): void => {
    if (isRetrying) return;
    isRetrying = true;
    setTimeout(() => {
      isRetrying = false;
      writer.write("");
    }, retryAfterMs).unref();
  };
  writer.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") lines.readerGone();
    else if (fullDisk.has(error.code)) retry();
    else throw error;
  });
  setInterval(lines.pass, passEveryMs).unref();
  process.prependListener("exit", lines.pass);
  const flush = async (): Promise<boolean> => {
    lines.pass();
    const untilMs = performance.now() + flushWithinMs;
    while (lines.waits() && performance.now() < untilMs) {
      try {
        await once(writer, "write", { signal: abortAfter(stalledAfterMs) });
      } catch {
        // The reader hangs or has closed the stream: give up.
        break;
      }
    }
    return !lines.waits();
  };
  return {
    lines,
    kept: { write: lines.writeKept },
    flush,
    /** The first log that asks reports what is lost, so that it is counted once. */
    reportLosses: (to: OutputLosses): void => {
      losses ??= to;
    },
  };
}
