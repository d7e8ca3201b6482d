import type { Dialect } from "@postern/shared/contracts";
import { type Logger, printable } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import { createQuietLog } from "./quiet-log.ts";

/** `unreadable`: not an address. `untrusted`: the header came from a peer that is not a trusted proxy. */
export const ignoredAddressReasons = ["unreadable", "untrusted"] as const;
export type IgnoredAddressReason = (typeof ignoredAddressReasons)[number];

/** A client address in a request that was ignored for the decision. */
export interface IgnoredAddress {
  readonly session: string;
  readonly dialect: Dialect;
  readonly reason: IgnoredAddressReason;
  /** As sent. */
  readonly value: string;
}

export type ReportIgnoredAddress = (ignored: IgnoredAddress) => void;

export interface IgnoredAddressesDeps {
  readonly logger: Pick<Logger, "warn">;
  readonly clock: Clock;
  readonly counted: (dialect: Dialect, reason: IgnoredAddressReason) => void;
}

const quietMs = 10_000;
const maxValueCharacters = 64;

const message = {
  unreadable: "client address is invalid and was ignored",
  untrusted: "client address from a caller that is not a trusted proxy was ignored",
} as const satisfies Record<IgnoredAddressReason, string>;

/**
 * Counts each ignored address, and logs a warning for the first of each dialect and reason in ten seconds, because a mail server that sends
 * such addresses sends one with every login.
 */
export function createReportIgnoredAddress({ logger, clock, counted }: IgnoredAddressesDeps): ReportIgnoredAddress {
  const unloggedOf = createQuietLog(clock, quietMs);
  return ({ session, dialect, reason, value }) => {
    counted(dialect, reason);
    const unlogged = unloggedOf(`${dialect} ${reason}`);
    if (unlogged === undefined) return;
    logger.warn(
      { session, dialect, reason, value: printable(value, maxValueCharacters), ...(unlogged > 0 && { unlogged }) },
      message[reason],
    );
  };
}
