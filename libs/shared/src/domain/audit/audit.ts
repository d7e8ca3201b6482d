import { destination, pino } from "pino";
import type { Caller } from "../../platform/http/caller-assertion.ts";
import { plainLines } from "../../platform/logging/plain-lines.ts";
import type { LineSink } from "../../platform/logging/standard-output.ts";
import { canonicalIp } from "../../platform/net/ip.ts";
import { networkOf } from "../brute-force/network.ts";
import { type AuditEvent, accountOf } from "./events.ts";

/**
 * The destination of audit lines outside the process. Writes one JSON object per line, each with `"audit":true`, at every log level. A file
 * is written immediately and unbuffered: when a request has been answered, its line is in the file even if the process is killed.
 *
 * @param stream destination if no file is configured: that of the log
 * @param file empty: no file
 * @param onLost called when a line could not be written
 * @throws when the file cannot be opened: a service that must keep an audit trail does not start without one.
 */
export function createAuditStream(
  base: { readonly service: string; readonly instance: string },
  stream: LineSink,
  file: string,
  onLost: (error: unknown) => void,
) {
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
      base: { audit: true, ...base },
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
  /** The domain that the record is about. Absent: that of its account. */
  readonly domain?: string | undefined;
  /** The only domain whose accounts the actor may reach. Absent: the site. */
  readonly actorDomain?: string | undefined;
  readonly rule?: string | undefined;
  readonly protocol?: string | undefined;
  /** The reason that an operator gave, in the operator's words. */
  readonly note?: string | undefined;
}

export type Audit = ReturnType<typeof createAudit>;

const maxLength = 512;

/** Texts come from requests; an overlong line would be rejected by its readers. */
function bounded(value: string): string {
  return value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
}

/** How many leading bits of an address are kept. */
interface AddressTruncation {
  readonly ipv4Bits: number;
  readonly ipv6Bits: number;
}

/** The address's network, such as `192.0.2.0/24`, or the whole address if all bits are kept. Undefined if the text is not an address. */
export function truncateAddress(address: string, { ipv4Bits, ipv6Bits }: AddressTruncation): string | undefined {
  const canonical = canonicalIp(address);
  if (canonical === undefined) return undefined;
  return networkOf(canonical, canonical.includes(":") ? ipv6Bits : ipv4Bits);
}

interface AuditOptions {
  readonly truncation: AddressTruncation;
  /** The domain of an account; undefined while no domain has rules of its own. */
  readonly domainOf: (account: string) => string | undefined;
}

/** @param write writes one JSON object as a line; the stream adds the time. */
export function createAudit(
  write: (fields: Readonly<Record<string, string>>) => void,
  { truncation, domainOf }: AuditOptions,
) {
  return {
    record: ({ clientIp, actorDomain, ...record }: AuditRecord): void => {
      const address = clientIp === undefined ? undefined : truncateAddress(clientIp, truncation);
      const account = accountOf(record);
      const { domain = account && domainOf(account) } = record;
      const named = Object.entries({ ...record, domain, actor_domain: actorDomain, client_ip: address });
      write(
        Object.fromEntries(named.flatMap(([name, value]) => (value === undefined ? [] : [[name, bounded(value)]]))),
      );
    },
  };
}

/** The name of the API caller in the audit stream; its authentication method if the gateway sent no name. */
export function auditedCaller(
  caller: Caller | null,
): Pick<AuditRecord, "actor" | "method" | "clientIp" | "actorDomain"> {
  if (caller === null) return {};
  const { method, name = method, clientIp, domains } = caller;
  return { actor: name, method, clientIp, ...(domains !== undefined && { actorDomain: domains.join(",") }) };
}
