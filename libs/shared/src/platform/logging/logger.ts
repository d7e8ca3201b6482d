import { type DestinationStream, pino, stdSerializers } from "pino";
import { createLineWriter, createTimestamp, type LineShape, type WriteLine } from "./line-log.ts";
import { plainLines } from "./plain-lines.ts";
import { type Output, type OutputLosses, type StandardOutput, standardOutput } from "./standard-output.ts";

export type { Logger } from "pino";

/** `observability.log.level`; `notice` has no counterpart and means `info`. */
export type LogLevel = "none" | "error" | "warn" | "notice" | "info" | "debug";

export interface LoggerOptions {
  readonly service: string;
  readonly instance: string;
  readonly level: LogLevel;
  /** Destination of the lines; default: standard output. */
  readonly stream?: DestinationStream;
  /** The standard output of a process with several logs. */
  readonly output?: StandardOutput | undefined;
  /** Called when a line was dropped because standard output is not being read and too much is queued. */
  readonly onDropped?: () => void;
}

export type ProcessLogger = ReturnType<typeof createLogger>;

const pinoLevels = {
  none: "silent",
  error: "error",
  warn: "warn",
  notice: "info",
  info: "info",
  debug: "debug",
} as const;

function streamOutput(stream: DestinationStream): Output {
  const write = (line: string): boolean => {
    stream.write(line);
    return true;
  };
  return { lines: stream, kept: { write }, flush: () => Promise.resolve(true) };
}

function outputOf({ stream, output }: LoggerOptions, losses: OutputLosses): Output {
  if (stream !== undefined) return streamOutput(stream);
  const standard = output ?? standardOutput();
  standard.reportLosses(losses);
  return standard;
}

/**
 * Writes one JSON object per line. Lines are collected in memory and written together once they reach 16 KiB or 200 ms have passed, because
 * a write per request would cost more than the decision. If the reader hangs, lines are lost, but decisions are not delayed and memory
 * stays bounded; the first line afterwards reports how many were lost. Secrets are not redacted here: they are `Secret`s, which print as a
 * mask. Call `flush` before the process ends.
 */
export function createLogger(options: LoggerOptions) {
  const onDropped = options.onDropped ?? (() => undefined);
  const onRoom = (dropped: number): void =>
    logger.warn({ dropped }, "log lines were lost because standard output was not read");
  const output = outputOf(options, { onDropped, onRoom });
  const lines = plainLines(output.lines);
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
    /** Destination for lines that are written at every level and dropped last. */
    stream: plainLines(output.kept),
    /** A faster `logger.info` for a line that is written with each request. */
    lineWriter: (shape: LineShape): WriteLine => createLineWriter(logger, lines, shape),
    setLevel: (level: LogLevel): void => {
      logger.level = pinoLevels[level];
    },
    /**
     * Returns false if not everything could be written because the reader hangs: after one second without progress, or five seconds in total.
     */
    flush: output.flush,
  };
}
