import { destination, pino } from "pino";
import { plainLines } from "../../platform/logging/plain-lines.ts";
import type { LineSink } from "../../platform/logging/standard-output.ts";

interface AuditStreamOptions {
  readonly service: string;
  readonly instance: string;
  /** Destination of audit lines if no file is configured: that of the log. */
  readonly stream: LineSink;
  /** Empty: no file. */
  readonly file: string;
  /** Called when a line could not be written. */
  readonly onLost: (error: unknown) => void;
}

/**
 * The destination of audit lines outside the process. Writes one JSON object per line, each with `"audit":true`, at every log level. A file
 * is written immediately and unbuffered: when a request has been answered, its line is in the file even if the process is killed.
 *
 * @throws when the file cannot be opened: a service that must keep an audit trail does not start without one.
 */
export function createAuditStream({ service, instance, stream, file, onLost }: AuditStreamOptions) {
  let losses = 0;
  const lose = (error: unknown): void => {
    losses += 1;
    onLost(error);
  };
  const shared = {
    write: (line: string): void => {
      if (!stream.write(line)) lose(new Error("standard output is not being read"));
    },
  };
  const own = file === "" ? undefined : destination({ dest: file, sync: true, append: true, mode: 0o600 });
  own?.on("error", lose);
  const logger = pino(
    {
      base: { audit: true, service, instance },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    own === undefined ? shared : plainLines(own),
  );
  return {
    /** Returns false if the line is known to be lost. */
    write: (fields: Readonly<Record<string, string>>): boolean => {
      const lossesBefore = losses;
      try {
        logger.info(fields);
      } catch (error) {
        lose(error);
      }
      return losses === lossesBefore;
    },
    /** Reopens the file, for log rotation. */
    reopen: (): void => own?.reopen(),
  };
}
