import { type DestinationStream, destination, pino } from "pino";

export interface AuditStreamOptions {
  readonly service: string;
  readonly instance: string;
  /** Where lines go while no file is named: where the log's go. */
  readonly stream: DestinationStream;
  /** Empty: none. */
  readonly file: string;
  /** A line could not be written. */
  readonly onLost: (error: unknown) => void;
}

/** Where audit lines leave the process. */
export interface AuditStream {
  readonly write: (fields: Readonly<Record<string, string>>) => void;
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
  const own = file === "" ? undefined : destination({ dest: file, sync: true, append: true, mode: 0o600 });
  own?.on("error", onLost);
  const logger = pino(
    {
      base: { audit: true, service, instance },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    own ?? stream,
  );
  return {
    write: (fields) => {
      try {
        logger.info(fields);
      } catch (error) {
        onLost(error);
      }
    },
    reopen: () => own?.reopen(),
  };
}
