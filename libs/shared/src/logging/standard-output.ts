import { once } from "node:events";
import { type DestinationStream, destination } from "pino";
import { createLineGatherer } from "./line-gatherer.ts";

/** A stream that tells at once of a line that it dropped. */
export interface TellingStream {
  /** False: dropped. */
  write(line: string): boolean;
}

/** Where the lines of a process go. */
export interface Output {
  /** Where pino writes. */
  readonly lines: DestinationStream;
  /** For lines that are dropped last. */
  readonly kept: TellingStream;
  /** False when not all could be written in time. */
  readonly flush: () => Promise<boolean>;
}

export interface OutputEvents {
  readonly onDropped: () => void;
  readonly onRoom: (dropped: number) => void;
}

const passEveryMs = 200;
const blockChars = 16_384;
const flushWithinMs = 5000;
/** A reader that takes nothing for so long hangs. */
const stalledAfterMs = 1000;

/**
 * What may wait for a reader of standard output that hangs: some 30,000 lines of decisions, a second and more of a
 * gateway at its limit. Warnings, errors and the audit stream have the last quarter for themselves.
 */
const maxWaitingBytes = 12 * 1024 * 1024;
const maxWaitingBytesOfAll = 16 * 1024 * 1024;

/** Standard output, whose writes never wait. What is left when the process ends goes out before pino ends the output. */
export function standardOutput({ onDropped, onRoom }: OutputEvents): Output {
  const writer = destination({ dest: 1, sync: false });
  const lines = createLineGatherer(writer, { blockChars, maxWaitingBytes, maxWaitingBytesOfAll, onDropped, onRoom });
  writer.on("write", lines.written);
  writer.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    lines.readerGone();
  });
  setInterval(lines.pass, passEveryMs).unref();
  process.prependListener("exit", lines.pass);
  const flush = async (): Promise<boolean> => {
    lines.pass();
    const untilMs = performance.now() + flushWithinMs;
    while (lines.waits() && performance.now() < untilMs) {
      try {
        await once(writer, "write", { signal: AbortSignal.timeout(stalledAfterMs) });
      } catch {
        // A reader that hangs, or is gone: then nothing waits any more.
        break;
      }
    }
    return !lines.waits();
  };
  return { lines, kept: { write: lines.writeKept }, flush };
}
