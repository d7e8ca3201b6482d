import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";
import { type Output, standardOutput, type TellingStream } from "./standard-output.ts";
import { createTimestamp } from "./timestamp.ts";

export type { Logger } from "pino";

/** `observability.log.level`; `notice` has no counterpart and reads as `info`. */
export type LogLevel = "none" | "error" | "warn" | "notice" | "info" | "debug";

export interface LoggerOptions {
  readonly service: string;
  readonly instance: string;
  readonly level: LogLevel;
  /** Where lines go; standard output when absent. */
  readonly stream?: DestinationStream;
  /** A line was dropped, as nobody reads standard output and too much waits. */
  readonly onDropped?: () => void;
}

/** A logger whose writes never wait; `flush` before the process ends. */
export interface ProcessLogger {
  readonly logger: Logger;
  /** Where its lines go, for lines that no level holds back and that are dropped last. */
  readonly stream: TellingStream;
  setLevel(level: LogLevel): void;
  /** False when not all could be written, as nobody reads: after a second without progress, at the latest after five. */
  flush(): Promise<boolean>;
}

const pinoLevels = {
  none: "silent",
  error: "error",
  warn: "warn",
  notice: "info",
  info: "info",
  debug: "debug",
} as const;

function givenOutput(stream: DestinationStream): Output {
  const write = (line: string): boolean => {
    stream.write(line);
    return true;
  };
  return { lines: stream, kept: { write }, flush: () => Promise.resolve(true) };
}

/**
 * One JSON object a line. Lines gather in memory and leave as one write when 16 KiB are together or 200 ms are over: a
 * line a request written at once would cost more than the decision (design §5, rule 3). A reader that hangs costs lines
 * and neither decisions nor memory without bound; the first line afterwards says how many are lost. What must not be read is not
 * redacted here but never handed over: secrets are `Secret`s, which print as a mask.
 */
export function createLogger(options: LoggerOptions): ProcessLogger {
  const onDropped = options.onDropped ?? (() => undefined);
  const onRoom = (dropped: number): void => logger.warn({ dropped }, "log lines were lost while nobody read them");
  const { lines, kept, flush } =
    options.stream === undefined ? standardOutput({ onDropped, onRoom }) : givenOutput(options.stream);
  const logger = pino(
    {
      level: pinoLevels[options.level],
      base: { service: options.service, instance: options.instance },
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
    },
    lines,
  );
  return {
    logger,
    stream: kept,
    setLevel: (level) => {
      logger.level = pinoLevels[level];
    },
    flush,
  };
}
