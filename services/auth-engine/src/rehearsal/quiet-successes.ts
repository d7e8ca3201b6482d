import { type RuleScope, ruleIsFor } from "@postern/shared/domain/brute-force";
import type { BruteForceSettings } from "../brute-force/brute-force-settings.ts";
import type { Control } from "../controls/controls.ts";
import type { Counters } from "./counters.ts";
import { ipv4Network } from "./network-number.ts";
import type { UsualSuccess } from "./usual-success.ts";

/** The rules for a protocol, and the prefix lengths of their networks. */
interface Scopes {
  readonly rules: readonly RuleScope["rule"][];
  readonly lengths: readonly number[];
}

interface QuietDeps {
  /** Undefined without brute-force protection. */
  readonly protection: { readonly settings: BruteForceSettings; readonly counters: Counters } | undefined;
  readonly controls: readonly Control[];
}

const mostProtocols = 100;
const never = new AbortController().signal;

const isExempt = ({ protocols, addressAllowlist, userAllowlist }: BruteForceSettings, one: UsualSuccess): boolean =>
  protocols?.has(one.protocol) === false ||
  addressAllowlist?.has(one.clientIp ?? "") === true ||
  userAllowlist.has(one.username, one.clientIp);

/**
 * Whether a success is what the steps of the engine would leave it: neither a ban nor a control objects, and no wrong passwords precede it.
 * Then its only effect is that the account counts as one that signed in from its networks. Most lines of a log are such ones, and going
 * through all steps would cost several times as much. A test compares both ways.
 */
export function createQuietSuccesses({ protection, controls }: QuietDeps) {
  const byProtocol = new Map<string, Scopes>();
  const scopesOf = (protocol: string): Scopes => {
    const known = byProtocol.get(protocol);
    if (known !== undefined) return known;
    const all = protection?.settings.rules ?? [];
    const rules = all.filter((rule) => rule.ipv4 && ruleIsFor(rule, protocol, undefined));
    const scopes = { rules, lengths: [...new Set(rules.map(({ cidr }) => Math.min(cidr, 32)))] };
    if (byProtocol.size < mostProtocols) byProtocol.set(protocol, scopes);
    return scopes;
  };
  const objects = (one: UsualSuccess): boolean => {
    const { username, protocol, tls, clientIp } = one;
    const usual = { session: "", dialect: "json", operation: "authenticate", password: undefined } as const;
    const attempt = { ...usual, username, protocol, tls, memoryCache: true, sharedCache: true };
    const named = clientIp === undefined ? attempt : { ...attempt, clientIp };
    return controls.some((control) => control.check(named, { signal: never, facts: {} }) !== undefined);
  };
  /** Of the success that was quiet last. */
  const networks: number[] = [];
  const isQuiet = (one: UsualSuccess): boolean => {
    if (controls.length > 0 && objects(one)) return false;
    networks.length = 0;
    if (protection === undefined || one.ipv4 < 0 || isExempt(protection.settings, one)) return true;
    const { counters } = protection;
    const { rules, lengths } = scopesOf(one.protocol);
    if (rules.length === 0) return true;
    if (counters.mayForgive(ipv4Network(one.ipv4, 32))) return false;
    if (counters.hasBans)
      for (const rule of rules) if (counters.isBanned(rule, ipv4Network(one.ipv4, rule.cidr))) return false;
    for (const length of lengths) networks.push(ipv4Network(one.ipv4, length));
    return true;
  };
  return {
    networks,
    isQuiet,
    /** Records the success that was quiet last. */
    note: ({ account }: UsualSuccess): void => {
      if (networks.length > 0) protection?.counters.noteSignIn(networks, account);
    },
  };
}
