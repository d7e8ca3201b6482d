import type { DomainReport, DomainSignIns, DomainTraffic } from "@postern/shared/contracts";
import { type DomainCounts, dateOf, type ReadDomainCounts } from "@postern/shared/domain/domain-counts";
import type { KnownDomain } from "@postern/shared/domain/domains";
import type { OfDomains } from "../console/query.ts";
import type { ShownDomainSettings } from "./domain-settings.ts";

export interface DomainContext extends OfDomains {
  readonly live: { readonly current: { readonly domains: ShownDomainSettings } };
  readonly readDomainCounts: ReadDomainCounts;
}

const textsOf = (value: unknown): [string, string[]][] =>
  Object.entries(Object(value)).map(([name, one]) => [name, Array.isArray(one) ? one.map(String) : [String(one)]]);

/** What applies while there are neither records nor a source. */
const withoutRecords = {
  aliases: [],
  origin: "none",
  isEnabled: true,
  message: "",
  backends: [],
  protocols: [],
  mailCredentials: "any",
  attributes: [],
  record: undefined,
} as const;

/**
 * @param domain undefined while there are neither records nor a source
 * @param counts undefined if they cannot be read
 */
export function reportOf(
  sought: string,
  domain: KnownDomain | undefined,
  {
    settings: { order, configured },
    counts,
  }: { readonly settings: ShownDomainSettings; readonly counts: DomainCounts | undefined },
): DomainReport {
  const found = domain ?? { ...withoutRecords, name: sought };
  const { name, aliases, origin, isEnabled, message, protocols, mailCredentials, attributes, record } = found;
  const entries = found.backends.length > 0 ? found.backends : order;
  return {
    name,
    found_as: name === sought ? "name" : "alias",
    origin,
    aliases: [...aliases],
    enabled: isEnabled,
    ...(message !== "" && { message }),
    backends: entries.map((entry) => ({ name: entry, is_configured: configured.has(entry) })),
    protocols: [...protocols],
    mail_credentials: mailCredentials,
    ...(record !== undefined && counts !== undefined && { sign_ins: writtenSignIns(counts) }),
    ...(record !== undefined && { second_factor: record.second_factor, record: { ...record } }),
    attributes: Object.fromEntries([...attributes].map(([key, values]) => [key, [...values]])),
    operators: Object.fromEntries(textsOf(record?.operators)),
  };
}

export function writtenTraffic({ days, lastMs }: DomainCounts): DomainTraffic {
  return {
    days: days.map(({ day, ok, failed }) => ({ date: dateOf(day), successes: ok, failures: failed })),
    successes: days.reduce((sum, { ok }) => sum + ok, 0),
    failures: days.reduce((sum, { failed }) => sum + failed, 0),
    ...(lastMs !== undefined && { last: new Date(lastMs).toISOString() }),
  };
}

function writtenSignIns(counts: DomainCounts): DomainSignIns {
  return { ...writtenTraffic(counts), accounts_since: dateOf(counts.accountsSince), ...counts.accounts };
}

/** The counts of domains by name; empty if Redis does not answer, because records are shown without it. */
export async function readCounts(
  read: ReadDomainCounts,
  names: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, DomainCounts>> {
  const counts = await read(names, nowMs).catch(() => []);
  return new Map(names.flatMap((name, index) => (counts[index] === undefined ? [] : [[name, counts[index]]])));
}
