import { messages } from "../messages.ts";
import { checkNetworkLists, checkUnique, type Judgement } from "./checks.ts";
import {
  choice,
  dayMs,
  decimal,
  duration,
  entries,
  flag,
  integer,
  requiredText,
  section,
  structure,
  texts,
  yearMs,
} from "./fields.ts";
import type { Config } from "./root.ts";

const longestDelayMs = 8000;

const Bucket = section(
  "A brute-force rule: the number of failures from one network in a period that leads to a ban of that network.",
  {
    name: requiredText("Name of the rule in lists, logs and metrics.", { maxLength: 64, example: "ipv4-10min" }),
    period: duration("10m", "Period over which failures are counted.", { minimum: 1000, maximum: yearMs }),
    ban_time: duration("8h", "Time until a ban expires.", { minimum: 1000, maximum: yearMs }),
    cidr: integer(
      24,
      "Prefix length of the network that is counted and banned: usually 24 or 32 for IPv4, 64 or 56 for IPv6.",
      { minimum: 1, maximum: 128 },
    ),
    failed_requests: integer(10, "Number of failures in the period that leads to a ban.", { minimum: 1 }),
    ipv4: flag("Whether the rule applies to IPv4 clients."),
    ipv6: flag("Whether the rule applies to IPv6 clients."),
    filter_by_protocol: texts("Protocols to which the rule applies. If empty, it applies to all.", {
      form: "protocol",
    }),
    filter_by_oidc_cid: texts("OIDC client IDs to which the rule applies. If empty, it applies to all."),
  },
);

const percent = (value: number, description: string) => integer(value, description, { maximum: 100 });

const CustomToleration = section("Tolerance for a particular network, in place of the general one.", {
  ip_address: requiredText("Address or network.", { form: "network", example: "192.0.2.0/24" }),
  tolerate_percent: percent(10, "Value of tolerate_percent for this network."),
  adaptive_toleration: flag("Value of adaptive_toleration for this network."),
  min_tolerate_percent: percent(10, "Value of min_tolerate_percent for this network."),
  max_tolerate_percent: percent(50, "Value of max_tolerate_percent for this network."),
  scale_factor: decimal(1, "Value of scale_factor for this network.", { minimum: 0.1, maximum: 10 }),
});

const WithoutRedis = section("Behaviour while Redis is unavailable.", {
  mode: choice(
    ["degrade", "tempfail"],
    "Counting while Redis is unavailable. With `degrade`, each engine counts on its own. With `tempfail`, every login is a temporary failure.",
  ),
  share_percent: integer(
    50,
    "Share of failed_requests that each engine allows while it counts on its own. Set it to 100 divided by the number of engines.",
    { minimum: 1, maximum: 100 },
  ),
  timeout: duration("250ms", "Longest time that a decision waits for Redis.", { minimum: 10, maximum: 5000 }),
  retry_interval: duration("1s", "Interval at which an engine checks whether Redis is available again.", {
    minimum: 50,
  }),
});

const AccountDelay = section(
  "Account delay: slower responses to unknown networks while the password of an account is being guessed.",
  {
    enabled: flag("Whether the account delay applies. A correct password is delayed, never refused.", {
      default: true,
    }),
    failures: integer(
      10,
      "Number of distinct wrong passwords for one account, from all networks, at which the delay begins.",
      { minimum: 1, maximum: 32 },
    ),
    window: duration("1h", "Time until the delay ends after the last new wrong password.", {
      minimum: 1000,
      maximum: dayMs,
    }),
    max_delay: duration(
      "5s",
      "Maximum delay. It is reached at twice the number in `failures`. A response is never delayed beyond runtime.timeouts.decision.",
      { minimum: 1, maximum: longestDelayMs },
    ),
    max_waiting: integer(
      16,
      "Maximum number of delayed responses for one API caller. Further responses are not delayed.",
      { minimum: 1, maximum: 1024 },
    ),
    known_for: duration(
      "720h",
      "Time for which a network (IPv4 /24, IPv6 /48) remains known to an account after a sign-in from it.",
      { minimum: 1000, maximum: yearMs },
    ),
    known_networks: texts("Networks that count as known for every account.", { form: "network" }),
  },
);

const WithoutClient = section("Treatment of requests that name no client address, such as those of saslauthd.", {
  count_network: flag(
    "Whether their failures count against the API caller's own network. While that network is banned, they are refused.",
  ),
  max_delay: duration(
    "1s",
    "Value of account_delay.max_delay for these requests. No network is known to them, so each request for an account under attack is delayed.",
    { minimum: 1, maximum: longestDelayMs },
  ),
  max_waiting: integer(
    2,
    "Value of account_delay.max_waiting for these requests. Set it below the API caller's number of workers, or guesses can occupy all of them.",
    { minimum: 1, maximum: 1024 },
  ),
});

/** Brute-force protection (ADR 0046). */
export const BruteForce = section(
  "Brute-force protection: networks with too many failures are banned. Active if auth.controls.enabled contains brute_force.",
  {
    mode: choice(
      ["enforce", "observe"],
      "Whether bans refuse sign-ins and account delays delay them. With `observe`, failures are counted and bans recorded, and what they would have refused or delayed is logged and counted, but no sign-in is refused or delayed. Bans recorded meanwhile come into force with `enforce`.",
    ),
    protocols: texts("Protocols that are protected. If empty, all are.", { form: "protocol" }),
    ip_allowlist: texts(
      "Client networks that are neither checked nor counted. If an API caller in these networks sends no client address, the rules for networks do not apply to its requests, but the account delay does.",
      { form: "network" },
    ),
    allowlist: structure(
      "Networks by user name. Requests of the user from these networks are neither checked nor counted. Names are case-insensitive.",
    ),
    buckets: entries(
      "Brute-force rules in order. The first matching rule bans the network and is named in logs and lists.",
      Bucket,
    ),
    tolerate_ttl: duration(
      "24h",
      "Time for which an account that signed in from a network raises the number of failures tolerated there. 0 disables tolerance.",
      { maximum: yearMs },
    ),
    tolerate_percent: percent(
      10,
      "Number of tolerated failures per 100 accounts that signed in from the network, without adaptive_toleration.",
    ),
    adaptive_toleration: flag("Whether the percentage grows with the number of these accounts."),
    min_tolerate_percent: percent(10, "Smallest percentage with adaptive_toleration."),
    max_tolerate_percent: percent(50, "Largest percentage with adaptive_toleration."),
    scale_factor: decimal(1, "Factor by which the percentage grows faster (above 1) or slower (below 1).", {
      minimum: 0.1,
      maximum: 10,
    }),
    custom_tolerations: entries(
      "Tolerances for particular networks. The first entry whose network contains the client applies.",
      CustomToleration,
    ),
    rwp_window: duration(
      "15m",
      "Time for which the same wrong password for an account is counted only once. The longest period of the rules applies if it is longer.",
      { minimum: 1000, maximum: yearMs },
    ),
    rwp_allowed_unique_hashes: integer(
      3,
      "Maximum number of recent wrong passwords that no longer count after the account signs in from the same network. If there were more, all of them count.",
      { maximum: 100 },
    ),
    ip_scoping: section("Grouping of IPv6 clients.", {
      rwp_ipv6_cidr: integer(
        64,
        "Prefix length of the IPv6 network in which a repeated wrong password is counted once.",
        { minimum: 1, maximum: 128 },
      ),
    }),
    account_delay: AccountDelay,
    without_client: WithoutClient,
    without_redis: WithoutRedis,
  },
);

const root = "auth.controls.brute_force";
const ipv4Bits = 32;

export function validateBruteForce({ auth, storage }: Config, judgement: Judgement): void {
  const { problem, warning } = judgement;
  const { enabled, brute_force: bruteForce } = auth.controls;
  const { buckets, allowlist } = bruteForce;
  buckets.forEach(({ cidr, ipv4, ipv6 }, index) => {
    const path = `${root}.buckets[${index}]`;
    if (ipv4 && cidr > ipv4Bits) problem(`${path}.cidr`, messages.longForIpv4);
    if (!ipv4 && !ipv6) warning(path, messages.ruleWithoutFamily);
  });
  checkUnique(buckets, [`${root}.buckets`, "name"], messages.ruleTwice, judgement);
  checkNetworkLists(allowlist, `${root}.allowlist`, "a list of networks", judgement);
  if (!enabled.includes("brute_force")) {
    warning("auth.controls.enabled", messages.noGuessingProtection);
    return;
  }
  if (buckets.length === 0) warning(`${root}.buckets`, messages.noRules);
  if (storage.redis.password_nonce === "") {
    problem("storage.redis.password_nonce", messages.needsWhen("auth.controls.enabled contains brute_force"));
  }
  if (!bruteForce.account_delay.enabled && !bruteForce.without_client.count_network) {
    warning(`${root}.without_client.count_network`, messages.uncountedWithoutClient);
  }
}
