import { messages } from "../messages.ts";
import { BruteForce } from "./auth-brute-force.ts";
import { LuaControls } from "./auth-lua.ts";
import { checkNames, checkNetworkLists, type Judgement } from "./checks.ts";
import {
  decimal,
  duration,
  entries,
  flag,
  integer,
  liveSection,
  requiredText,
  section,
  structure,
  text,
  texts,
} from "./fields.ts";
import type { Config } from "./root.ts";

const RblList = section("A block list.", {
  name: requiredText("Name of the list in logs.", { example: "spamhaus-xbl" }),
  rbl: requiredText("DNS zone of the list.", { example: "xbl.spamhaus.org", form: "domain-name" }),
  ipv4: flag("Whether IPv4 addresses are looked up.", { default: true }),
  ipv6: flag("Whether IPv6 addresses are looked up.", { default: true }),
  return_code: text("Answer that means the address is listed. Older form of return_codes.", { form: "ip-address" }),
  return_codes: texts(
    "Answers that mean the address is listed. If empty, all of 127.0.0.0/8 does, except 127.255.255.0/24, with which list operators report errors.",
    { form: "ip-address" },
  ),
  weight: decimal(
    1,
    "Value added to the score when the address is listed. A negative value counts in the client's favour.",
    { minimum: -100, maximum: 100 },
  ),
  allow_failure: flag(
    "Whether an unavailable list is ignored. If false, its failure is a temporary failure wherever its answer could change the decision.",
  ),
});

const Rbl = section("DNS block lists.", {
  lists: entries("Block lists, queried in parallel.", RblList),
  threshold: decimal(10, "Score at which a client is denied.", { minimum: 0.001, maximum: 100 }),
  ip_allowlist: texts("Client networks that are not looked up.", { form: "network" }),
  allowlist: structure("Networks by user name. Addresses of the user in these networks are not looked up."),
  resolvers: texts("Addresses of DNS servers, such as 192.0.2.1:53. If empty, the system's are used.", {
    form: "dns-server",
  }),
  timeout: duration("1s", "Longest time to wait for a list.", { minimum: 10, maximum: 10_000 }),
  cache_size: integer(20_000, "Maximum number of answers kept by a process.", { minimum: 1, maximum: 1_000_000 }),
  cache_ttl: duration("1h", "Maximum lifetime of a kept answer. A shorter TTL of the DNS record takes precedence.", {
    maximum: 86_400_000,
  }),
  negative_cache_ttl: duration("1m", "Lifetime of a kept answer that the address is not listed.", {
    maximum: 3_600_000,
  }),
});

export const Controls = liveSection(
  "Controls: checks before the backends. Each is active only if enabled contains its name.",
  {
    enabled: texts("Active controls: `brute_force`, `tls_encryption`, `relay_domains`, `rbl`, `lua`."),
    brute_force: BruteForce,
    tls_encryption: section("Control that denies logins without TLS between mail client and mail server.", {
      allow_cleartext_networks: texts("Client networks that may log in without TLS.", { form: "network" }),
    }),
    relay_domains: section("Control that denies logins for domains that the site does not serve.", {
      static: texts(
        "Domains that the site serves. If empty, no login is denied. User names without a domain are never denied.",
      ),
      allowlist: structure("Networks by user name, from which the user may log in under any domain."),
    }),
    rbl: Rbl,
    lua: LuaControls,
  },
);

const root = "auth.controls";
/** Names of `auth.controls.enabled`. */
const known = ["brute_force", "tls_encryption", "relay_domains", "rbl", "lua"];

export function validateControls({ auth }: Config, judgement: Judgement): void {
  const { enabled, rbl, relay_domains: relayDomains } = auth.controls;
  checkNames(enabled, known, `${root}.enabled`, (path, name, hint) =>
    judgement.problem(path, messages.unknownControl(name), hint),
  );
  if (enabled.includes("rbl") && rbl.lists.length === 0) {
    judgement.problem(`${root}.rbl.lists`, messages.needsWhen(`${root}.enabled contains rbl`));
  }
  const expected = "a list of IP addresses and networks";
  checkNetworkLists(rbl.allowlist, `${root}.rbl.allowlist`, expected, judgement);
  checkNetworkLists(relayDomains.allowlist, `${root}.relay_domains.allowlist`, expected, judgement);
}
