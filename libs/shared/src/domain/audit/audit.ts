import type { AuditEvent } from "./events.ts";
import { type AddressTruncation, truncateAddress } from "./truncate-address.ts";

export type AuditOutcome = "ok" | "denied" | "failed" | "undecided";

/** Who did what to whom, from where, with what outcome. Never contains a password, token or other secret. */
export interface AuditRecord {
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  readonly actor?: string | undefined;
  /** How the actor authenticated, or tried to: `basic`, `bearer`, or the step of a sign-in on the pages. */
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  /** Identifier of the one session, passkey or app password of the target. */
  readonly item?: string | undefined;
  /** The account concerned, if a backend has it, whether or not the actor proved to be its owner. */
  readonly account?: string | undefined;
  readonly clientIp?: string | undefined;
  /** The request GUID, which is also in the log. */
  readonly session?: string | undefined;
  /** A reason code of the event, such as `bad_basic`. */
  readonly reason?: string | undefined;
  /** The rule of a ban. */
  readonly rule?: string | undefined;
  readonly protocol?: string | undefined;
  /** The reason that an operator gave, in the operator's words. */
  readonly note?: string | undefined;
}

export interface Audit {
  readonly record: (record: AuditRecord) => void;
}

const maxLength = 512;

/** Texts come from requests; an overlong line would be rejected by its readers. */
function bounded(value: string): string {
  return value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
}

/**
 * @param write writes one JSON object as a line; the stream adds the time.
 */
export function createAudit(
  write: (fields: Readonly<Record<string, string>>) => void,
  truncation: AddressTruncation,
): Audit {
  return {
    record: ({ clientIp, ...record }) => {
      const address = clientIp === undefined ? undefined : truncateAddress(clientIp, truncation);
      const named = Object.entries({ ...record, client_ip: address });
      write(
        Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, bounded(value)]]))),
      );
    },
  };
}
