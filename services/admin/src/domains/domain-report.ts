import type { LiveDomains } from "@postern/shared/assembly";
import type { DomainReport } from "@postern/shared/contracts";
import type { DomainCounts, ReadDomainCounts } from "@postern/shared/domain/domain-counts";
import type { KnownDomain } from "@postern/shared/domain/domains";
import type { ShownDomainSettings } from "./domain-settings.ts";
import { writtenSignIns } from "./domain-sign-ins.ts";

export interface DomainContext {
  readonly domains: Pick<LiveDomains, "current">;
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
