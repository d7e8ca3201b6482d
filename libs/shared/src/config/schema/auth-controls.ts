import { BruteForce } from "./auth-brute-force.ts";
import { LuaControls } from "./auth-lua.ts";
import { decimal, duration, entries, flag, integer, requiredText, section, structure, text, texts } from "./fields.ts";

const RblList = section("One list.", {
  name: requiredText({ description: "Name, for logs.", example: "spamhaus-xbl" }),
  rbl: requiredText({ description: "DNS zone.", example: "xbl.spamhaus.org", form: "domain-name" }),
  ipv4: flag(true, { description: "Ask about IPv4 addresses." }),
  ipv6: flag(true, { description: "Ask about IPv6 addresses." }),
  return_code: text("", {
    description: "The answer that means listed; older form of return_codes.",
    form: "ip-address",
  }),
  return_codes: texts([], {
    description:
      "Answers that mean listed; none takes 127.0.0.0/8 but for 127.255.255.0/24, the errors of list operators.",
    form: "ip-address",
  }),
  weight: decimal(1, {
    description: "What a hit adds to the score; less than 0 vouches.",
    minimum: -100,
    maximum: 100,
  }),
  allow_failure: flag(false, {
    description: "Go on when this list cannot be asked; else a failure that could matter is a temporary failure.",
  }),
});

const Rbl = section("Block lists in the DNS.", {
  lists: entries("Lists, asked at the same time.", RblList),
  threshold: decimal(10, { description: "Score from which a client is denied.", minimum: 0.001, maximum: 100 }),
  ip_allowlist: texts([], { description: "Clients that are never asked about.", form: "network" }),
  allowlist: structure({ description: "Networks by user name from which this user is never asked about." }),
  resolvers: texts([], { description: "DNS servers, as 192.0.2.1:53; none takes the system's.", form: "dns-server" }),
  timeout: duration("1s", { description: "Longest wait for a list.", minimum: 10, maximum: 10_000 }),
  cache_size: integer(20_000, { description: "Answers kept in a process.", minimum: 1, maximum: 1_000_000 }),
  cache_ttl: duration("1h", {
    description: "Longest life of a kept answer; a record's own may be shorter.",
    maximum: 86_400_000,
  }),
  negative_cache_ttl: duration("1m", { description: 'Life of a kept "not listed".', maximum: 3_600_000 }),
});

/** What is looked at before any directory is asked. */
const controlSections = {
  enabled: texts([], {
    description: "Controls in use: brute_force, tls_encryption, relay_domains, rbl, lua.",
  }),
  brute_force: BruteForce,
  tls_encryption: section("Logins need TLS between client and mail server.", {
    allow_cleartext_networks: texts([], { description: "Clients that may do without.", form: "network" }),
  }),
  relay_domains: section("Logins of other domains are denied.", {
    static: texts([], { description: "Domains that are served; none denies nobody." }),
    allowlist: structure({ description: "Networks by user name from which this user is let through." }),
  }),
  rbl: Rbl,
  lua: LuaControls,
};

export const Controls = section("Controls, each used when enabled names it.", controlSections, { reload: "live" });
