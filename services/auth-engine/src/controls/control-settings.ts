import type { ControlsConfig } from "@postern/shared/platform/config";
import { createUserAllowlist } from "../user-allowlist.ts";

export type ControlSettings = ReturnType<typeof controlSettings>;
export type RblControlSettings = ReturnType<typeof rblSettings>;
export type RblSettings = RblControlSettings["rbl"];

/** Limit of one process; sign-ins above it would not get an answer in time anyway. */
const maxQueries = 2000;

function rblSettings({ rbl }: ControlsConfig) {
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
        /** Answers that mean "listed"; an empty list means 127.0.0.0/8 without the error codes of list operators. */
        returnCodes: new Set(return_code === "" ? return_codes : [return_code, ...return_codes]),
      })),
    },
    dns: { servers: rbl.resolvers, timeoutMs: rbl.timeout },
    cache: {
      maxEntries: rbl.cache_size,
      maxTtlMs: rbl.cache_ttl,
      absentTtlMs: rbl.negative_cache_ttl,
      /** Queries in progress; further ones fail immediately. */
      maxInFlight: maxQueries,
    },
  };
}

/** `auth.controls`; disabled controls are absent. */
export function controlSettings(config: ControlsConfig) {
  const { enabled, tls_encryption: tls, relay_domains: relay } = config;
  return {
    cleartextNetworks: enabled.includes("tls_encryption") ? tls.allow_cleartext_networks : undefined,
    relayDomains: enabled.includes("relay_domains")
      ? { domains: relay.static, allowlist: createUserAllowlist(relay.allowlist) }
      : undefined,
    rbl: enabled.includes("rbl") ? rblSettings(config) : undefined,
  };
}
