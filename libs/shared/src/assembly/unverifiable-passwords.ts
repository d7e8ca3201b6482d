import {
  createUnverifiableReports,
  type DataFault,
  dataFaults,
  unverifiableText,
} from "../domain/passwords/unverifiable.ts";
import { systemClock } from "../platform/time/clock.ts";
import type { Base } from "./base.ts";

/** Counts sign-ins that were denied because of the stored password; created once per process. */
export function unverifiablePasswordCounter({
  metrics,
  metricsPrefix,
}: Pick<Base, "metrics" | "metricsPrefix">): (reason: DataFault) => void {
  const denials = metrics.counter({
    name: `${metricsPrefix}_unverifiable_passwords_total`,
    help: "Sign-ins denied because the stored password has an unknown scheme, is damaged or is too costly to verify",
    labels: { reason: dataFaults },
  });
  return (reason) => denials({ reason }).inc();
}

/** Reports stored passwords that scripts cannot verify. An SQL backend reports its own. */
export function scriptPasswordReports(
  { logger }: Pick<Base, "logger">,
  count: (reason: DataFault) => void,
): ReturnType<typeof createUnverifiableReports> {
  const log = (fault: object): void => logger.warn({ source: "script", ...fault }, unverifiableText);
  return createUnverifiableReports(systemClock, count, log);
}
