import { once } from "node:events";
import { type DestinationStream, destination } from "pino";
import { abortAfter } from "../concurrency/deadline.ts";
import { isJournal, journalPriority } from "./journal-priority.ts";

interface GathererOptions {
  readonly blockChars: number;
  /** What stands before a line; nothing by default. */
  readonly prefixOf?: ((line: string) => string) | undefined;
  /** Above this, lines below `warn` are dropped. */
  readonly maxWaitingBytes: number;
  /** Above this, all lines are dropped. */
  readonly maxWaitingBytesOfAll: number;
  readonly onDropped: () => void;
  /**
   * Called when half of the queued lines have been written and there is room again, with the number of dropped lines.
   */
  readonly onRoom: (dropped: number) => void;
}

const belowWarn = /^\{"level":"(?:info|debug|trace)"/;

/**
 * Collects lines until they have `blockChars` characters. sonic-boom could do this too, but with each line it joins and measures everything
 * that it holds: 15 KB of garbage and 3 µs per line, compared to 2 KB here. What is queued for a slow reader is measured block by block and
 * limited.
 */
export function createLineGatherer(writer: { write(block: string): unknown }, options: GathererOptions) {
  const { blockChars, prefixOf, maxWaitingBytes, maxWaitingBytesOfAll, onDropped, onRoom } = options;
  let text = "";
  let waitingBytes = 0;
  let full = false;
  let dropped = 0;
  /** Passes the collected lines to the writer. */
  const pass = (): void => {
    if (text === "") return;
    const block = text;
    text = "";
    waitingBytes += Buffer.byteLength(block);
    full ||= waitingBytes >= maxWaitingBytes;
    writer.write(block);
  };
  const gather = (line: string): boolean => {
    text += prefixOf === undefined ? line : prefixOf(line) + line;
    if (text.length >= blockChars) pass();
    return true;
  };
  const drop = (): false => {
    dropped += 1;
    onDropped();
    return false;
  };
  const gatherKept = (line: string): boolean => (waitingBytes < maxWaitingBytesOfAll ? gather(line) : drop());
  const gatherWhenFull = (line: string): boolean => (belowWarn.test(line) ? drop() : gatherKept(line));
  return {
    /** Returns false if the line was dropped because too much is queued. */
    write: (line: string): boolean => (full ? gatherWhenFull(line) : gather(line)),
    /** Like `write`, for a line that is dropped last, whatever its level. */
    writeKept: (line: string): boolean => (full ? gatherKept(line) : gather(line)),
    /** The writer has passed this many bytes to the operating system. */
    written: (bytes: number): void => {
      waitingBytes -= bytes;
      if (!full || waitingBytes > maxWaitingBytes / 2) return;
      full = false;
      const lost = dropped;
      dropped = 0;
      if (lost > 0) onRoom(lost);
    },
    pass,
    /** Whether the writer holds unwritten data. */
    waits: (): boolean => waitingBytes > 0 && Number.isFinite(waitingBytes),
    /** The reader has closed the stream: all further lines are dropped. */
    readerGone: (): void => {
      full = true;
      waitingBytes = Number.POSITIVE_INFINITY;
    },
  };
}

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
  /** Writes lines that are dropped last. */
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
