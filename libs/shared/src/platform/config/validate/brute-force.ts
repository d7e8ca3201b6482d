import { createCidrSet } from "../../net/cidr-set.ts";
import { messages } from "../messages.ts";
import type { BruteForceConfig, Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.controls.brute_force";
const ipv4Bits = 32;

function judgeBuckets({ buckets }: BruteForceConfig, { problem, warning }: Judgement): void {
  const names = new Set<string>();
  buckets.forEach(({ name, cidr, ipv4, ipv6 }, index) => {
    const path = `${root}.buckets[${index}]`;
    if (names.has(name)) problem(`${path}.name`, messages.ruleTwice);
    names.add(name);
    if (ipv4 && cidr > ipv4Bits) problem(`${path}.cidr`, messages.longForIpv4);
    if (!ipv4 && !ipv6) warning(path, messages.ruleWithoutFamily);
  });
}

function isNetworks(value: unknown): boolean {
  try {
    return Array.isArray(value) && createCidrSet(value.map(String)) !== undefined;
  } catch {
    return false;
  }
}

function judgeAllowlist({ allowlist }: BruteForceConfig, { problem }: Judgement): void {
  if (typeof allowlist !== "object" || allowlist === null) return;
  for (const [user, networks] of Object.entries(allowlist)) {
    if (!isNetworks(networks)) problem(`${root}.allowlist.${user}`, messages.mustBe("a list of networks"));
  }
}

export function validateBruteForce(config: Config, judgement: Judgement): void {
  const { enabled, brute_force: bruteForce } = config.auth.controls;
  judgeBuckets(bruteForce, judgement);
  judgeAllowlist(bruteForce, judgement);
  if (!enabled.includes("brute_force")) {
    judgement.warning("auth.controls.enabled", messages.noGuessingProtection);
    return;
  }
  if (bruteForce.buckets.length === 0) judgement.warning(`${root}.buckets`, messages.noRules);
  if (config.storage.redis.password_nonce === "") {
    judgement.problem("storage.redis.password_nonce", messages.needsWhen("auth.controls.enabled contains brute_force"));
  }
}
