import type { BruteForceConfig } from "../../platform/config/index.ts";

/** One rule of `auth.controls.brute_force.buckets`. */
export interface BruteForceRule {
  readonly name: string;
  readonly periodMs: number;
  readonly banMs: number;
  readonly failedRequests: number;
  /** Prefix length of its networks. */
  readonly cidr: number;
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  /** Empty: all. */
  readonly protocols: readonly string[];
  /** Empty: all, including requests without one. */
  readonly oidcClientIds: readonly string[];
}

export interface BruteForceRules {
  /** The rules have the order of the configuration. */
  readonly rules: readonly BruteForceRule[];
  /** Prefix length of the IPv6 network in which a repeated wrong password counts once. */
  readonly clientCidr6: number;
  readonly tolerateMs: number;
}

export function bruteForceRules(config: BruteForceConfig): BruteForceRules {
  return {
    rules: config.buckets.map((bucket) => ({
      name: bucket.name,
      periodMs: bucket.period,
      banMs: bucket.ban_time,
      failedRequests: bucket.failed_requests,
      cidr: bucket.cidr,
      ipv4: bucket.ipv4,
      ipv6: bucket.ipv6,
      protocols: bucket.filter_by_protocol,
      oidcClientIds: bucket.filter_by_oidc_cid,
    })),
    clientCidr6: config.ip_scoping.rwp_ipv6_cidr,
    tolerateMs: config.tolerate_ttl,
  };
}

/** Whether the rule applies to attempts with this protocol and OIDC client. */
export function ruleIsFor(rule: BruteForceRule, protocol: string, oidcClientId: string | undefined): boolean {
  const { protocols, oidcClientIds } = rule;
  if (protocols.length > 0 && !protocols.includes(protocol)) return false;
  return oidcClientIds.length === 0 || (oidcClientId !== undefined && oidcClientIds.includes(oidcClientId));
}
