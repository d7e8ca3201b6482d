import { createBoundedCache } from "../../platform/cache/index.ts";
import type { DomainRecordConfig, DomainsConfig } from "../../platform/config/index.ts";
import { canonicalDomain } from "../../platform/net/index.ts";

/** A domain whose rules are known. */
export interface KnownDomain {
  readonly isKnown: true;
  /** With A-labels, in lower case; empty for names without a domain. */
  readonly name: string;
  /** Spelled like `name`. */
  readonly aliases: readonly string[];
  readonly isEnabled: boolean;
  /** What users are told while it is not enabled; empty for the message of a wrong password. */
  readonly message: string;
  /** Entries like those of `auth.backends.order`; empty for that order. */
  readonly backends: readonly string[];
  /** Distinguishes cached results of other backends. */
  readonly backendsKey: string;
  /** Empty: all. */
  readonly protocols: ReadonlySet<string>;
  readonly mailCredentials: DomainRecordConfig["mail_credentials"];
  readonly attributes: ReadonlyMap<string, readonly string[]>;
  /** As configured, or as the source returned it; absent for a domain without a record. */
  readonly record?: DomainRecordConfig;
  /** Where the rules are from. */
  readonly origin: "records" | "source" | "default";
}

/** A domain that the site does not serve. */
export const unknownDomain = Object.freeze({ isKnown: false });

export type Domain = KnownDomain | typeof unknownDomain;

/** A domain as names are compared by it. */
export function comparableDomain(text: string): string {
  return canonicalDomain(text) ?? text.toLowerCase();
}

function attributesOf(value: unknown): ReadonlyMap<string, readonly string[]> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return new Map(
    entries.map(([name, one]: [string, unknown]) => [name, Array.isArray(one) ? one.map(String) : [String(one)]]),
  );
}

type Rules = Pick<DomainRecordConfig, "backends" | "protocols" | "mail_credentials" | "attributes">;

function rulesOf({ backends, protocols, mail_credentials: mailCredentials, attributes }: Rules) {
  return {
    backends: backends.map((entry) => entry.trim()),
    backendsKey: backends.join(),
    protocols: new Set(protocols),
    mailCredentials,
    attributes: attributesOf(attributes),
  };
}

export function domainOfRecord(record: DomainRecordConfig, origin: "records" | "source"): KnownDomain {
  return {
    isKnown: true,
    name: comparableDomain(record.name),
    aliases: record.aliases.map(comparableDomain),
    isEnabled: record.enabled,
    message: record.message,
    ...rulesOf(record),
    record,
    origin,
  };
}

/** Domains without a record that a process keeps, so that what is derived from one is derived once. */
const maxByDefault = 10_000;

/** The domains without a record: they have the same rules, if they are served at all. */
export function domainsByDefault(rules: DomainsConfig["default"]): (name: string) => Domain {
  const kept = createBoundedCache<KnownDomain>({ maxEntries: maxByDefault, evict: "least-used" });
  const shared = {
    isKnown: true,
    aliases: [],
    isEnabled: true,
    message: "",
    ...rulesOf(rules),
    origin: "default",
  } as const;
  return (name) => {
    if (!rules.enabled) return unknownDomain;
    const found = kept.get(name) ?? { ...shared, name };
    kept.set(name, found);
    return found;
  };
}
