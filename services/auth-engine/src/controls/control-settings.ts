import type { ControlsConfig } from "@postern/shared/platform/config";
import type { DnsLookupSettings } from "./rbl/address-lookup-dns.ts";
import type { CachingLookupSettings } from "./rbl/caching-lookup.ts";
import type { RblSettings } from "./rbl/rbl.ts";
import type { RelayDomainsSettings } from "./relay-domains.ts";
import { createUserAllowlist } from "./user-allowlist.ts";

/** `auth.controls`; disabled controls are absent. */
export interface ControlSettings {
  readonly cleartextNetworks: readonly string[] | undefined;
  readonly relayDomains: RelayDomainsSettings | undefined;
  readonly rbl: RblControlSettings | undefined;
}

export interface RblControlSettings {
  readonly rbl: RblSettings;
  readonly dns: DnsLookupSettings;
  readonly cache: CachingLookupSettings;
}

/** Limit of one process; sign-ins above it would not get an answer in time anyway. */
const maxQueries = 2000;

function rblSettings({ rbl }: ControlsConfig): RblControlSettings {
  return {
    rbl: {
      threshold: rbl.threshold,
      ipAllowlist: rbl.ip_allowlist,
      allowlist: createUserAllowlist(rbl.allowlist),
      lists: rbl.lists.map(({ name, rbl: zone, ipv4, ipv6, return_code, return_codes, weight, allow_failure }) => ({
        name,
        zone,
        ipv4,
        ipv6,
        weight,
        allowFailure: allow_failure,
        returnCodes: new Set(return_code === "" ? return_codes : [return_code, ...return_codes]),
      })),
    },
    dns: { servers: rbl.resolvers, timeoutMs: rbl.timeout },
    cache: {
      maxEntries: rbl.cache_size,
      maxTtlMs: rbl.cache_ttl,
      absentTtlMs: rbl.negative_cache_ttl,
      maxInFlight: maxQueries,
    },
  };
}

export function controlSettings(config: ControlsConfig): ControlSettings {
  const { enabled, tls_encryption: tls, relay_domains: relay } = config;
  return {
    cleartextNetworks: enabled.includes("tls_encryption") ? tls.allow_cleartext_networks : undefined,
    relayDomains: enabled.includes("relay_domains")
      ? { domains: relay.static, allowlist: createUserAllowlist(relay.allowlist) }
      : undefined,
    rbl: enabled.includes("rbl") ? rblSettings(config) : undefined,
  };
}
