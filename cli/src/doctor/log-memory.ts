import { createLogger, type Logger } from "@postern/shared/platform/logging";

export interface LogMemory {
  readonly logger: Logger;
  /** The reason of the latest warning, if any. */
  readonly latest: () => string | undefined;
}

function reasonIn(line: string): string | undefined {
  const { err, error }: { readonly err?: { readonly message?: unknown }; readonly error?: unknown } = JSON.parse(line);
  const reason = err?.message ?? error;
  return typeof reason === "string" && reason !== "" ? reason : undefined;
}

/** A logger that keeps the reason of the latest failure instead of printing it. */
export function createLogMemory(): LogMemory {
  let latest: string | undefined;
  const write = (line: string): void => {
    latest = reasonIn(line) ?? latest;
  };
  return {
    logger: createLogger({ service: "doctor", instance: "doctor", level: "warn", stream: { write } }).logger,
    latest: () => latest,
  };
}
