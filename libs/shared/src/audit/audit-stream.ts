import { destination, pino } from "pino";
import type { TellingStream } from "../logging/standard-output.ts";

export interface AuditStreamOptions {
  readonly service: string;
  readonly instance: string;
  /** Where lines go while no file is named: where the log's go. */
  readonly stream: TellingStream;
  /** Empty: none. */
  readonly file: string;
  /** A line could not be written. */
  readonly onLost: (error: unknown) => void;
}

/** Where audit lines leave the process. */
export interface AuditStream {
  /** False: the line is known to be lost. */
  readonly write: (fields: Readonly<Record<string, string>>) => boolean;
  /** Opens the file anew, for programs that move it away. */
  readonly reopen: () => void;
}

/**
 * One JSON object a line, each with `"audit":true`. They are written at every log level. A file is written at once and
 * not gathered: what was answered is in it, even when the process is killed.
 *
 * @throws when the file cannot be opened: a service that must leave a trail does not start without one.
 */
export function createAuditStream({ service, instance, stream, file, onLost }: AuditStreamOptions): AuditStream {
  let losses = 0;
  const lose = (error: unknown): void => {
    losses += 1;
    onLost(error);
  };
  const shared = {
    write: (line: string): void => {
      if (!stream.write(line)) lose(new Error("nobody reads standard output"));
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
    own ?? shared,
  );
  return {
    write: (fields) => {
      const lossesBefore = losses;
      try {
        logger.info(fields);
      } catch (error) {
        lose(error);
      }
      return losses === lossesBefore;
    },
    reopen: () => own?.reopen(),
  };
}
