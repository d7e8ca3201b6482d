import { createHash } from "node:crypto";
import { canonicalIp, embeddedIpv4 } from "../../platform/net/ip.ts";
import { canonicalName } from "../../platform/net/name-forms.ts";
import {
  accountDelayKey,
  accountFailuresKey,
  banKey,
  failureCountKey,
  guessesKey,
  knownNetworksKey,
  pendingKey,
  signedInHashesKey,
  tolerationKey,
  wrongPasswordsKey,
} from "../../platform/redis/keys/brute-force.ts";
import { networkOf } from "./network.ts";
import type { BruteForceRules } from "./rules.ts";

export type SourceParts = BruteForceRules & { readonly keyPrefix: string };

/** A client's address as the rules see it. */
export type Source = NonNullable<ReturnType<typeof sourceOf>>;
/** One brute-force rule in one network: what a ban or a failure count applies to. */
export type RuleScope = Source["scopes"][number];

/** Undefined if the text is not an address, or no rule applies to its family. */
export function sourceOf(text: string, { rules, clientCidr6, keyPrefix }: SourceParts) {
  const canonical = canonicalIp(text);
  if (canonical === undefined) return undefined;
  // Only if a rule counts IPv4: protection by IPv6 network is better than none.
  const address = (rules.some(({ ipv4 }) => ipv4) ? embeddedIpv4(canonical) : undefined) ?? canonical;
  const isV6 = address.includes(":");
  const own = rules.filter(({ ipv4, ipv6 }) => (isV6 ? ipv6 : ipv4));
  if (own.length === 0) return undefined;
  const tag = networkOf(address, Math.min(...own.map(({ cidr }) => cidr)));
  const clientNetwork = networkOf(address, isV6 ? clientCidr6 : 32);
  return {
    address,
    /** The widest network of the rules; the hash tag of all keys. */
    tag,
    /** The network in which a repeated wrong password counts once. */
    clientNetwork,
    guessesKey: guessesKey.build(keyPrefix, tag, clientNetwork),
    /** The rules of the address family, in the order of the configuration. */
    scopes: own.map((rule) => {
      const network = networkOf(address, rule.cidr);
      return {
        rule,
        network,
        banKey: banKey.build(keyPrefix, tag, rule.name, network),
        countKey: failureCountKey.build(keyPrefix, tag, rule.name, network),
      };
    }),
  };
}

const longestUser = 128;

function digestOfUser(user: string): string {
  return `sha256:${createHash("sha256").update(user).digest("hex")}`;
}

/** A user name as part of a key: lower-cased, with A-labels, and replaced with its digest if it is long. */
export function userPart(username: string): string {
  const user = canonicalName(username.toLowerCase());
  return user.length <= longestUser ? user : digestOfUser(user);
}

/** Keys of one account at one source. */
export function accountKeys({ keyPrefix }: SourceParts, { tag, clientNetwork }: Source, username: string) {
  const user = userPart(username);
  return {
    wrongPasswords: wrongPasswordsKey.build(keyPrefix, tag, clientNetwork, user),
    pending: pendingKey.build(keyPrefix, tag, clientNetwork, user),
  };
}

export type AccountKeys = ReturnType<typeof accountKeys>;

/** Prefix lengths of the networks that an account knows: those of one provider's customers or of one site, for either family. */
const knownLength = { ipv4: 24, ipv6: 48 };

/** Undefined if the text is not an address. */
export function knownNetworkOf(text: string): string | undefined {
  const canonical = canonicalIp(text);
  const address = canonical === undefined ? undefined : (embeddedIpv4(canonical) ?? canonical);
  return address === undefined
    ? undefined
    : networkOf(address, address.includes(":") ? knownLength.ipv6 : knownLength.ipv4);
}

/** ASCII without blanks and capitals. */
const alreadyFolded = /^[!-@[-~]+$/u;

/**
 * The name under which failures of an account are counted over all networks. Many backends treat names as equal that differ in case,
 * character width or blanks, or in the form of an internationalised domain.
 */
export function foldedName(username: string): string {
  if (alreadyFolded.test(username)) return username;
  const folded = username.normalize("NFKC").toLowerCase().normalize("NFKC");
  return canonicalName(folded.trim().replaceAll(/\s+/gu, " "));
}

/** A user name as a hash tag. Redis would hash the whole key if the tag were empty or contained braces. */
function userTag(username: string): string {
  const user = userPart(foldedName(username));
  return /^$|[{}]/u.test(user) ? digestOfUser(user) : user;
}

/** Keys of one account over all networks. All have the same hash tag. */
export function accountWideKeys(keyPrefix: string, username: string) {
  const user = userTag(username);
  return {
    /** The hash tag. */
    user,
    failures: accountFailuresKey.build(keyPrefix, user),
    delayed: accountDelayKey.build(keyPrefix, user),
    known: knownNetworksKey.build(keyPrefix, user),
    signedInHashes: signedInHashesKey.build(keyPrefix, user),
  };
}

export type AccountWideKeys = ReturnType<typeof accountWideKeys>;

/** The time at which the keys below belong to another window; with a single window, never. */
export function windowEndMs({ tolerateMs }: SourceParts, nowMs: number): number {
  return tolerateMs === 0 ? Number.POSITIVE_INFINITY : (Math.floor(nowMs / tolerateMs) + 1) * tolerateMs;
}

/** Accounts that signed in, in the current window and the one before. */
export function tolerationKeysOf(
  { keyPrefix, tolerateMs }: SourceParts,
  tag: string,
  { network, nowMs }: { readonly network: string; readonly nowMs: number },
): readonly [current: string, previous: string] {
  const window = tolerateMs === 0 ? 0 : Math.floor(nowMs / tolerateMs);
  return [
    tolerationKey.build(keyPrefix, tag, network, String(window)),
    tolerationKey.build(keyPrefix, tag, network, String(window - 1)),
  ];
}

/** What is stored about an address besides bans and counts. */
export function otherKeysOf(parts: SourceParts, { tag, scopes, guessesKey }: Source, nowMs: number): readonly string[] {
  const networks = new Set(scopes.map(({ network }) => network));
  const tolerations = [...networks].flatMap((network) => tolerationKeysOf(parts, tag, { network, nowMs }));
  return [...tolerations, guessesKey];
}
