import {
  accountKeys,
  accountWideKeys,
  foldedName,
  type RulePlace,
  ruleIsFor,
  type Source,
  type SourceParts,
  sourceOf,
} from "@postern/shared/domain/brute-force";
import { createHotCache } from "@postern/shared/platform/cache";
import type { Attempt } from "../decision/attempt.ts";
import { type AccountSource, accountSourceOf, sourceWithoutAddress } from "./account-delay.ts";
import type { AccountTarget, Target } from "./guess-store.ts";
import type { BruteForceSettings } from "./settings.ts";

const maxSources = 16_384;
const maxNames = 16_384;
/** Longer names belong to no account and would fill the memory. */
const maxKeptLength = 256;

/** Classification of an address: its rules, and how accounts see it. */
interface Place {
  /** Absent if no rule applies to it. */
  readonly source: Source | undefined;
  readonly account: AccountSource;
  /** The address is neither checked nor counted. */
  readonly isExempt: boolean;
}

const withoutAddress: Place = { source: undefined, account: sourceWithoutAddress, isExempt: false };

/** How an attempt is counted; both are absent if it is neither checked nor counted. */
export interface Counting {
  /** Absent if no rule applies to the attempt, its network is exempt, or the client address is missing. */
  readonly target: Target | undefined;
  readonly account: AccountTarget | undefined;
}

const uncounted: Counting = { target: undefined, account: undefined };

/** Addresses recur, so their classification is cached. */
function createPlaces({ addressAllowlist, accountDelay }: BruteForceSettings, parts: SourceParts) {
  const places = createHotCache<Place>(maxSources);
  return (address: string): Place => {
    const known = places.get(address);
    if (known !== undefined) return known;
    const place: Place = {
      source: sourceOf(address, parts),
      account: accountDelay === undefined ? sourceWithoutAddress : accountSourceOf(address, accountDelay),
      isExempt: addressAllowlist?.has(address) === true,
    };
    places.set(address, place);
    return place;
  };
}

/** Names recur, so their folded form is cached. */
function createNames(keyPrefix: string) {
  const names = createHotCache<Omit<AccountTarget, "source">>(maxNames);
  return (typed: string): Omit<AccountTarget, "source"> => {
    const known = names.get(typed);
    if (known !== undefined) return known;
    const username = foldedName(typed);
    const keys = accountWideKeys(keyPrefix, username);
    const name = { username, keys };
    if (typed.length <= maxKeptLength) names.set(typed, name);
    return name;
  };
}

/** Determines the rules of an attempt, and whether its account is counted. */
export function createTargets(settings: BruteForceSettings, parts: SourceParts): (attempt: Attempt) => Counting {
  const placeAt = createPlaces(settings, parts);
  const nameOf = createNames(parts.keyPrefix);
  const { protocols, userAllowlist, countsPeers, accountDelay } = settings;
  const filtered = settings.rules.some(({ protocols, oidcClientIds }) => protocols.length + oidcClientIds.length > 0);
  const placesOf = ({ places }: Source, { protocol, oidcClientId }: Attempt): readonly RulePlace[] =>
    filtered ? places.filter(({ rule }) => ruleIsFor(rule, protocol, oidcClientId)) : places;
  const targetOf = (source: Source, attempt: Attempt): Target | undefined => {
    const places = placesOf(source, attempt);
    const { username } = attempt;
    return places.length === 0 ? undefined : { source, places, username, keys: accountKeys(parts, source, username) };
  };
  const accountOf = (attempt: Attempt, source: AccountSource): AccountTarget | undefined => {
    if (accountDelay === undefined) return undefined;
    const { username, keys } = nameOf(attempt.username);
    return attempt.hidesOutcome === true ? { username, keys, source, hidesOutcome: true } : { username, keys, source };
  };
  const isAllowed = ({ username, clientIp }: Attempt): boolean =>
    userAllowlist.size > 0 &&
    clientIp !== undefined &&
    userAllowlist.get(username.toLowerCase())?.has(clientIp) === true;
  return (attempt) => {
    const { clientIp, clientIpIsPeer, protocol } = attempt;
    if (protocols?.has(protocol) === false) return uncounted;
    const { source, account, isExempt } = clientIp === undefined ? withoutAddress : placeAt(clientIp);
    const isListed = isExempt || isAllowed(attempt);
    if (clientIpIsPeer === true) {
      // The lists name a mail server here, not the client that guesses through it.
      const isCounted = source !== undefined && countsPeers && !isListed;
      return {
        target: isCounted ? targetOf(source, attempt) : undefined,
        account: accountOf(attempt, sourceWithoutAddress),
      };
    }
    if (isListed) return uncounted;
    return { target: source && targetOf(source, attempt), account: accountOf(attempt, account) };
  };
}
