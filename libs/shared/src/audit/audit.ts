import type { AuditEvent } from "./events.ts";
import { type AddressTruncation, truncateAddress } from "./truncate-address.ts";

export type AuditOutcome = "ok" | "denied" | "failed" | "undecided";

/** Who did what to whom, from where, and what came of it. Never a password, a token or another secret. */
export interface AuditRecord {
  readonly event: AuditEvent;
  readonly outcome: AuditOutcome;
  readonly actor?: string | undefined;
  /** How the actor proved itself: `basic` or `bearer`. */
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  readonly clientIp?: string | undefined;
  /** The request GUID, by which the log's lines are found. */
  readonly session?: string | undefined;
  /** A word of the event's own, as `bad_basic`. */
  readonly reason?: string | undefined;
  readonly protocol?: string | undefined;
}

export interface Audit {
  readonly record: (record: AuditRecord) => void;
}

export interface AuditDeps {
  /** One JSON object as a line; the time is added there. */
  readonly write: (fields: Readonly<Record<string, string>>) => void;
  readonly truncation: AddressTruncation;
}

const maxLength = 512;

/** Texts come from requests: none makes a line that no reader takes. */
function bounded(value: string): string {
  return value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
}

export function createAudit({ write, truncation }: AuditDeps): Audit {
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
