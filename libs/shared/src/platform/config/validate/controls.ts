import { createCidrSet } from "../../net/cidr-set.ts";
import { messages } from "../messages.ts";
import { nearestName } from "../nearest-name.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.controls";
/** Names of `auth.controls.enabled`. */
const names = ["brute_force", "tls_encryption", "relay_domains", "rbl", "lua"];

export function validateControls(config: Config, judgement: Judgement): void {
  const { enabled, rbl, relay_domains: relayDomains } = config.auth.controls;
  const { problem } = judgement;
  enabled.forEach((name, index) => {
    if (names.includes(name)) return;
    const near = nearestName(name, names);
    const hint = near === undefined ? undefined : messages.didYouMean(near);
    problem(`${root}.enabled[${index}]`, messages.unknownControl(name), hint);
  });
  if (enabled.includes("rbl") && rbl.lists.length === 0) {
    problem(`${root}.rbl.lists`, messages.needsWhen(`${root}.enabled contains rbl`));
  }
  judgeAllowlist(rbl.allowlist, `${root}.rbl.allowlist`, judgement);
  judgeAllowlist(relayDomains.allowlist, `${root}.relay_domains.allowlist`, judgement);
}

function isNetworks(value: unknown): boolean {
  try {
    return Array.isArray(value) && createCidrSet(value.map(String)) !== undefined;
  } catch {
    return false;
  }
}

function judgeAllowlist(allowlist: unknown, path: string, { problem }: Judgement): void {
  if (typeof allowlist !== "object" || allowlist === null) return;
  for (const [name, networks] of Object.entries(allowlist)) {
    if (!isNetworks(networks)) problem(`${path}.${name}`, messages.mustBe("a list of IP addresses and networks"));
  }
}
