import type { BruteForceConfig } from "../../platform/config/index.ts";

export type BruteForceRules = ReturnType<typeof bruteForceRules>;
/** One rule of `auth.controls.brute_force.buckets`. */
export type BruteForceRule = BruteForceRules["rules"][number];

export function bruteForceRules(config: BruteForceConfig) {
  const rules = config.buckets.map((bucket) => ({
    name: bucket.name,
    periodMs: bucket.period,
    banMs: bucket.ban_time,
    failedRequests: bucket.failed_requests,
    /** Prefix length of its networks. */
    cidr: bucket.cidr,
    ipv4: bucket.ipv4,
    ipv6: bucket.ipv6,
    /** Empty: all. */
    protocols: bucket.filter_by_protocol,
    /** Empty: all, including requests without one. */
    oidcClientIds: bucket.filter_by_oidc_cid,
  }));
  return Object.freeze({
    /** They have the order of the configuration. */
    rules: Object.freeze(rules),
    /** Prefix length of the IPv6 network in which a repeated wrong password counts once. */
    clientCidr6: config.ip_scoping.rwp_ipv6_cidr,
    tolerateMs: config.tolerate_ttl,
  });
}

/** Whether the rule applies to attempts with this protocol and OIDC client. */
export function ruleIsFor(rule: BruteForceRule, protocol: string, oidcClientId: string | undefined): boolean {
  const { protocols, oidcClientIds } = rule;
  if (protocols.length > 0 && !protocols.includes(protocol)) return false;
  return oidcClientIds.length === 0 || (oidcClientId !== undefined && oidcClientIds.includes(oidcClientId));
}
