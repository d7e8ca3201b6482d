import {
  choice,
  decimal,
  duration,
  entries,
  flag,
  integer,
  requiredText,
  section,
  structure,
  texts,
} from "./fields.ts";

/** A year, which no window and no ban is longer than. A timer is never set for it, so `duration`'s bound is no matter. */
const yearMs = 8760 * 60 * 60 * 1000;

const Bucket = section("One rule: so many failures in a period from one network, then a ban of that network.", {
  name: requiredText({
    description: "Name of the rule, as lists, logs and metrics show it.",
    maxLength: 64,
    example: "ipv4-10min",
  }),
  period: duration("10m", { description: "Period of the count.", minimum: 1000, maximum: yearMs }),
  ban_time: duration("8h", { description: "Life of a ban.", minimum: 1000, maximum: yearMs }),
  cidr: integer(24, {
    description: "Length of the network that is one source: 24 or 32 for IPv4, 64 or 56 for IPv6.",
    minimum: 1,
    maximum: 128,
  }),
  failed_requests: integer(10, { description: "Failures from which the network is banned.", minimum: 1 }),
  ipv4: flag(false, { description: "The rule is for IPv4 clients." }),
  ipv6: flag(false, { description: "The rule is for IPv6 clients." }),
  filter_by_protocol: texts([], { description: "Protocols that the rule is for; empty means all." }),
  filter_by_oidc_cid: texts([], { description: "OIDC client IDs that the rule is for; empty means all." }),
});

const percent = (value: number, description: string) => integer(value, { description, maximum: 100 });

const CustomToleration = section("Another tolerance for some networks.", {
  ip_address: requiredText({ description: "Address or network.", form: "network", example: "192.0.2.0/24" }),
  tolerate_percent: percent(10, "As tolerate_percent, for this network."),
  adaptive_toleration: flag(false, { description: "As adaptive_toleration, for this network." }),
  min_tolerate_percent: percent(10, "As min_tolerate_percent, for this network."),
  max_tolerate_percent: percent(50, "As max_tolerate_percent, for this network."),
  scale_factor: decimal(1, { description: "As scale_factor, for this network.", minimum: 0.1, maximum: 10 }),
});

const WithoutRedis = section("What is done while Redis is away.", {
  mode: choice(["degrade", "tempfail"], "degrade", {
    description: "With degrade each engine counts on its own; with tempfail every login is a temporary failure.",
  }),
  share_percent: integer(50, {
    description: "Share of failed_requests that each engine allows on its own: 100 divided by the number of engines.",
    minimum: 1,
    maximum: 100,
  }),
  timeout: duration("250ms", { description: "How long a decision waits for Redis.", minimum: 10, maximum: 5000 }),
  retry_interval: duration("1s", { description: "Between two trials of a Redis that is away.", minimum: 50 }),
});

/** Protection against guessing (design decisions 4 and 20). */
export const BruteForce = section("Networks that fail too often are banned; used when enabled names brute_force.", {
  protocols: texts([], { description: "Protocols that are protected; empty means all." }),
  ip_allowlist: texts([], { description: "Clients that are never checked nor counted.", form: "network" }),
  allowlist: structure({
    description: "Networks by user name from which this user is never checked nor counted; case is ignored.",
  }),
  buckets: entries("Rules. The first that holds, in this order, bans and gives its name.", Bucket),
  tolerate_ttl: duration("24h", {
    description: "How long accounts that signed in from a network count in its favour; 0 tolerates nothing.",
    maximum: yearMs,
  }),
  tolerate_percent: percent(10, "Failures that are tolerated, in percent of the accounts that signed in from there."),
  adaptive_toleration: flag(false, { description: "Let the percentage grow with these accounts." }),
  min_tolerate_percent: percent(10, "Least percentage with adaptive_toleration."),
  max_tolerate_percent: percent(50, "Largest percentage with adaptive_toleration."),
  scale_factor: decimal(1, { description: "How fast it grows.", minimum: 0.1, maximum: 10 }),
  custom_tolerations: entries("Other tolerances; the first whose network holds the client is taken.", CustomToleration),
  rwp_window: duration("15m", {
    description:
      "How long the same wrong password of an account counts once; at least the longest period of the rules.",
    minimum: 1000,
    maximum: yearMs,
  }),
  rwp_allowed_unique_hashes: integer(3, {
    description: "Wrong passwords that are taken back when the account then signs in from the same network.",
    maximum: 100,
  }),
  ip_scoping: section("What one client is among IPv6 addresses.", {
    rwp_ipv6_cidr: integer(64, {
      description: "Length of the network in which a repeated wrong password counts once.",
      minimum: 1,
      maximum: 128,
    }),
  }),
  without_redis: WithoutRedis,
});
