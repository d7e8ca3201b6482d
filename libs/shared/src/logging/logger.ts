import { type DestinationStream, destination, type Logger, pino, stdSerializers } from "pino";
import { createLineGatherer } from "./line-gatherer.ts";
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
}

/** A logger whose writes never wait; `flush` before the process ends. */
export interface ProcessLogger {
  readonly logger: Logger;
  /** Where its lines go, for lines that no level holds back. */
  readonly stream: DestinationStream;
  setLevel(level: LogLevel): void;
  flush(): void;
}

const pinoLevels = {
  none: "silent",
  error: "error",
  warn: "warn",
  notice: "info",
  info: "info",
  debug: "debug",
} as const;

const flushEveryMs = 200;
const blockChars = 16_384;

/** What is left when the process ends goes out before pino ends the output. */
function standardOutput(): Pick<ProcessLogger, "stream" | "flush"> {
  const lines = createLineGatherer(destination({ dest: 1, sync: false }), blockChars);
  setInterval(lines.pass, flushEveryMs).unref();
  process.prependListener("exit", lines.pass);
  return { stream: lines, flush: lines.flushSync };
}

/**
 * One JSON object a line. Lines gather in memory and leave as one write when 16 KiB are together or 200 ms are over: a
 * line a request written at once would cost more than the decision (design §5, rule 3). What must not be read is not
 * redacted here but never handed over: secrets are `Secret`s, which print as a mask.
 */
export function createLogger(options: LoggerOptions): ProcessLogger {
  const { stream, flush } =
    options.stream === undefined ? standardOutput() : { stream: options.stream, flush: () => undefined };
  const logger = pino(
    {
      level: pinoLevels[options.level],
      base: { service: options.service, instance: options.instance },
      timestamp: createTimestamp(),
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
    },
    stream,
  );
  return {
    logger,
    stream,
    setLevel: (level) => {
      logger.level = pinoLevels[level];
    },
    flush,
  };
}
