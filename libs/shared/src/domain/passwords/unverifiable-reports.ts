import type { Clock } from "../../platform/time/clock.ts";
import type { DataFault, UnverifiableReason } from "./unverifiable.ts";

/** Log fields about stored passwords that cannot be verified; never the stored text. */
export interface UnverifiableFault {
  readonly reason: DataFault;
  /** The account whose login was denied, if known. */
  readonly account?: string | undefined;
  /** Number of logins denied since the last line. */
  readonly denials: number;
}

/** At most one line per minute, because an account that signs in every few seconds must not fill the log. */
const everyMs = 60_000;

/**
 * Called for each login that was denied because its stored password can never be verified. Counts all of them that are faults of the site's
 * data, and logs the first of each minute.
 */
export function createUnverifiableReports(
  clock: Clock,
  count: (reason: DataFault) => void,
  log: (fault: UnverifiableFault) => void,
) {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  let denials = 0;
  return (reason: UnverifiableReason, account?: string): void => {
    if (reason === "locked") return;
    count(reason);
    denials += 1;
    if (clock.now() - loggedAtMs < everyMs) return;
    log({ reason, account, denials });
    loggedAtMs = clock.now();
    denials = 0;
  };
}

export const unverifiableText =
  "denied: the account's stored password cannot be verified; store a hash of a known scheme, or lock it with !";
