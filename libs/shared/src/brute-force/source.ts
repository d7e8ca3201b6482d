import { createHash } from "node:crypto";
import { canonicalIp } from "../net/ip.ts";
import {
  banKey,
  failureCountKey,
  guessesKey,
  pendingKey,
  tolerationKey,
  wrongPasswordsKey,
} from "../redis/keys/brute-force.ts";
import { networkOf } from "./network.ts";
import type { BruteForceRule, BruteForceRules } from "./rules.ts";

/** A rule at the place of one client. */
export interface RulePlace {
  readonly rule: BruteForceRule;
  readonly network: string;
  readonly banKey: string;
  readonly countKey: string;
}

/** A client's address in the eyes of the rules. */
export interface Source {
  readonly address: string;
  /** The widest network of the rules, the hash tag of all keys. */
  readonly tag: string;
  /** The network in which a repeated wrong password counts once. */
  readonly clientNetwork: string;
  readonly guessesKey: string;
  /** Rules of the address's family, in the order of the configuration. */
  readonly places: readonly RulePlace[];
}

export interface SourceParts extends BruteForceRules {
  readonly prefix: string;
}

/** Undefined for what is no address, and where no rule is for its family. */
export function sourceOf(text: string, { rules, clientCidr6, prefix }: SourceParts): Source | undefined {
  const address = canonicalIp(text);
  if (address === undefined) return undefined;
  const isV6 = address.includes(":");
  const own = rules.filter(({ ipv4, ipv6 }) => (isV6 ? ipv6 : ipv4));
  if (own.length === 0) return undefined;
  const tag = networkOf(address, Math.min(...own.map(({ cidr }) => cidr)));
  const clientNetwork = networkOf(address, isV6 ? clientCidr6 : 32);
  return {
    address,
    tag,
    clientNetwork,
    guessesKey: guessesKey.build(prefix, tag, clientNetwork),
    places: own.map((rule) => {
      const network = networkOf(address, rule.cidr);
      return {
        rule,
        network,
        banKey: banKey.build(prefix, tag, rule.name, network),
        countKey: failureCountKey.build(prefix, tag, rule.name, network),
      };
    }),
  };
}

const longestUser = 128;

/** A user name as keys hold it: one that differs in case only is the same; a long one is its digest. */
export function userPart(username: string): string {
  const user = username.toLowerCase();
  return user.length <= longestUser ? user : `sha256:${createHash("sha256").update(user).digest("hex")}`;
}

/** Keys of one account at one source. */
export interface AccountKeys {
  readonly wrongPasswords: string;
  readonly pending: string;
}

export function accountKeys({ prefix }: SourceParts, { tag, clientNetwork }: Source, username: string): AccountKeys {
  const user = userPart(username);
  return {
    wrongPasswords: wrongPasswordsKey.build(prefix, tag, clientNetwork, user),
    pending: pendingKey.build(prefix, tag, clientNetwork, user),
  };
}

/** When the keys below are of another window; with one window for all times never. */
export function windowEndMs({ tolerateMs }: SourceParts, nowMs: number): number {
  return tolerateMs === 0 ? Number.POSITIVE_INFINITY : (Math.floor(nowMs / tolerateMs) + 1) * tolerateMs;
}

/** Accounts that signed in, now and in the window before. */
export function tolerationKeysOf(
  { prefix, tolerateMs }: SourceParts,
  tag: string,
  { network, nowMs }: { readonly network: string; readonly nowMs: number },
): readonly [current: string, previous: string] {
  const window = tolerateMs === 0 ? 0 : Math.floor(nowMs / tolerateMs);
  return [
    tolerationKey.build(prefix, tag, network, String(window)),
    tolerationKey.build(prefix, tag, network, String(window - 1)),
  ];
}
