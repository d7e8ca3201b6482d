import { type BruteForceRules, bruteForceRules } from "@postern/shared/brute-force";
import type { BruteForceConfig } from "@postern/shared/config";
import { type CidrSet, createCidrSet } from "@postern/shared/net";
import { noToleration, type Toleration } from "./toleration.ts";

/** `auth.controls.brute_force`, ready for use. */
export interface BruteForceSettings extends BruteForceRules {
  /** Undefined: all. */
  readonly protocols: ReadonlySet<string> | undefined;
  readonly addressAllowlist: CidrSet | undefined;
  /** By user name in lower case. */
  readonly userAllowlist: ReadonlyMap<string, CidrSet>;
  /** What failures of an address are tolerated. */
  readonly tolerationOf: (address: string) => Toleration;
  readonly repeatWindowMs: number;
  /** Wrong passwords that a success takes back. */
  readonly takenBack: number;
  readonly withoutRedis: {
    readonly mode: "degrade" | "tempfail";
    readonly sharePercent: number;
    readonly timeoutMs: number;
    readonly retryMs: number;
  };
}

type TolerationConfig = Pick<
  BruteForceConfig,
  "tolerate_percent" | "adaptive_toleration" | "min_tolerate_percent" | "max_tolerate_percent" | "scale_factor"
>;

function tolerationFrom(config: TolerationConfig): Toleration {
  const scale = config.scale_factor;
  if (!config.adaptive_toleration) {
    return { minPercent: config.tolerate_percent, maxPercent: config.tolerate_percent, scale };
  }
  const { min_tolerate_percent: minPercent, max_tolerate_percent: maxPercent } = config;
  return { minPercent, maxPercent: Math.max(minPercent, maxPercent), scale };
}

function tolerationsFrom(config: BruteForceConfig): (address: string) => Toleration {
  if (config.tolerate_ttl === 0) return () => noToleration;
  const usual = tolerationFrom(config);
  const custom = config.custom_tolerations.map((one) => ({
    networks: createCidrSet([one.ip_address]),
    toleration: tolerationFrom(one),
  }));
  return (address) => custom.find(({ networks }) => networks.has(address))?.toleration ?? usual;
}

function userAllowlistFrom(given: unknown): ReadonlyMap<string, CidrSet> {
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [];
  return new Map(
    entries.map(([user, networks]: [string, unknown]) => [
      user.toLowerCase(),
      createCidrSet(Array.isArray(networks) ? networks.map(String) : []),
    ]),
  );
}

export function bruteForceSettings(config: BruteForceConfig): BruteForceSettings {
  const { protocols, ip_allowlist: addresses, without_redis: withoutRedis } = config;
  return {
    ...bruteForceRules(config),
    protocols: protocols.length === 0 ? undefined : new Set(protocols),
    addressAllowlist: addresses.length === 0 ? undefined : createCidrSet(addresses),
    userAllowlist: userAllowlistFrom(config.allowlist),
    tolerationOf: tolerationsFrom(config),
    repeatWindowMs: config.rwp_window,
    takenBack: config.rwp_allowed_unique_hashes,
    withoutRedis: {
      mode: withoutRedis.mode,
      sharePercent: withoutRedis.share_percent,
      timeoutMs: withoutRedis.timeout,
      retryMs: withoutRedis.retry_interval,
    },
  };
}
