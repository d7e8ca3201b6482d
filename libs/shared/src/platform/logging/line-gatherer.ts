export interface GathererOptions {
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
  const gatherKept = (line: string): boolean => {
    if (waitingBytes < maxWaitingBytesOfAll) return gather(line);
    dropped += 1;
    onDropped();
    return false;
  };
  const gatherWhenFull = (line: string): boolean => {
    if (!belowWarn.test(line)) return gatherKept(line);
    dropped += 1;
    onDropped();
    return false;
  };
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
