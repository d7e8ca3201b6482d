import { bruteForceRules } from "@postern/shared/domain/brute-force";
import type { BruteForceConfig, Config } from "@postern/shared/platform/config";
import { createCidrSet } from "@postern/shared/platform/net";
import { createUserAllowlist } from "../user-allowlist.ts";
import { noToleration, type Toleration } from "./toleration.ts";

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

/** Undefined if account delays are disabled. */
function accountDelayFrom(config: BruteForceConfig) {
  const { account_delay: delay, without_client: withoutClient } = config;
  if (!delay.enabled) return undefined;
  return {
    /** Number of distinct wrong passwords at which the delay begins. */
    failures: delay.failures,
    windowMs: delay.window,
    maxDelayMs: delay.max_delay,
    /** The longest delay of requests without a client address. */
    maxDelayWithoutClientMs: withoutClient.max_delay,
    knownForMs: delay.known_for,
    knownEverywhere: delay.known_networks.length === 0 ? undefined : createCidrSet(delay.known_networks),
  };
}

/** What happens while Redis is unavailable. `observe` refuses nobody, and temporary failures would refuse everybody. */
export function outageMode({ mode, without_redis: withoutRedis }: BruteForceConfig) {
  return mode === "observe" ? "degrade" : withoutRedis.mode;
}

/** `auth.controls.brute_force`, compiled. */
export function bruteForceSettings(config: BruteForceConfig) {
  const { protocols, ip_allowlist: addresses, without_redis: withoutRedis } = config;
  return {
    ...bruteForceRules(config),
    /** With `observe`, no sign-in is refused or delayed. */
    mode: config.mode,
    /** Undefined means all. */
    protocols: protocols.length === 0 ? undefined : new Set(protocols),
    addressAllowlist: addresses.length === 0 ? undefined : createCidrSet(addresses),
    userAllowlist: createUserAllowlist(config.allowlist),
    /** Tolerated failures of an address. */
    tolerationOf: tolerationsFrom(config),
    repeatWindowMs: config.rwp_window,
    /** Number of wrong passwords that a success forgives. */
    maxForgiven: config.rwp_allowed_unique_hashes,
    accountDelay: accountDelayFrom(config),
    /** Failures without a client address count for their caller's network. */
    countsPeers: config.without_client.count_network,
    withoutRedis: {
      mode: outageMode(config),
      sharePercent: withoutRedis.share_percent,
      timeoutMs: withoutRedis.timeout,
      retryMs: withoutRedis.retry_interval,
    },
  };
}

export type AccountDelaySettings = NonNullable<ReturnType<typeof accountDelayFrom>>;
export type BruteForceSettings = ReturnType<typeof bruteForceSettings>;

export function usesBruteForce({ auth }: Config): boolean {
  return auth.controls.enabled.includes("brute_force");
}
