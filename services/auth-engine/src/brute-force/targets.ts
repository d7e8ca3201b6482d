import {
  type AccountKeys,
  accountKeys,
  accountWideKeys,
  foldedName,
  knownNetworkOf,
  type RuleScope,
  ruleIsFor,
  type Source,
  type SourceParts,
  sourceOf,
} from "@postern/shared/domain/brute-force";
import { createHotCache } from "@postern/shared/platform/cache";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { Attempt } from "../pipeline/attempt.ts";
import type { AccountDelaySettings, BruteForceSettings } from "./brute-force-settings.ts";
import type { AccountSource, CountedAccount, CountedAttempt, CountedRequest } from "./shared-store.ts";

/** Origin of a request without a client address. */
const sourceWithoutAddress: AccountSource = { network: undefined, isTrusted: false };

function accountSourceOf(clientIp: string, { knownEverywhere }: AccountDelaySettings): AccountSource {
  const network = knownNetworkOf(clientIp);
  return { network, isTrusted: network !== undefined && knownEverywhere?.has(clientIp) === true };
}

/** As many sources, and as many names, are remembered. */
const maxRemembered = 16_384;
/** Longer names belong to no account and would fill the memory. */
const maxKeptLength = 256;
const maxSourcesOfName = 4;

/** Classification of an address: its rules, and how accounts see it. */
interface ClassifiedAddress {
  /** Absent if no rule applies to it. */
  readonly source: Source | undefined;
  readonly account: AccountSource;
  /** The address is neither checked nor counted. */
  readonly isExempt: boolean;
}

const withoutAddress: ClassifiedAddress = { source: undefined, account: sourceWithoutAddress, isExempt: false };

/** How an attempt is counted; both are absent if it is neither checked nor counted. */
export interface CountedSubjects {
  /** Absent if no rule applies to the attempt, its network is exempt, or the client address is missing. */
  readonly target: CountedAttempt | undefined;
  readonly account: CountedAccount | undefined;
}

const notCounted: CountedSubjects = { target: undefined, account: undefined };

/** Addresses recur, so their classification is cached. */
function createClassifier(
  { addressAllowlist, accountDelay }: BruteForceSettings,
  parts: SourceParts,
  maxSources: number,
) {
  const classified = createHotCache<ClassifiedAddress>(maxSources);
  return (address: string): ClassifiedAddress => {
    const known = classified.get(address);
    if (known !== undefined) return known;
    const found: ClassifiedAddress = {
      source: sourceOf(address, parts),
      account: accountDelay === undefined ? sourceWithoutAddress : accountSourceOf(address, accountDelay),
      isExempt: addressAllowlist?.has(address) === true,
    };
    classified.set(address, found);
    return found;
  };
}

/** A name as it was typed. */
interface KnownName extends Omit<CountedAccount, "source"> {
  readonly typed: string;
  /** At the sources from which it came last. Reused strings keep their hash, which costs more than everything else that is done with them. */
  readonly atSources: Map<string, AccountKeys>;
}

/** Names recur, so their folded form and their keys are cached. */
function createNames(parts: SourceParts, maxNames: number) {
  const names = createHotCache<KnownName>(maxNames);
  return {
    nameOf: (typed: string): KnownName => {
      const known = names.get(typed);
      if (known !== undefined) return known;
      const username = foldedName(typed);
      const name = { typed, username, keys: accountWideKeys(parts.keyPrefix, username), atSources: new Map() };
      if (typed.length <= maxKeptLength) names.set(typed, name);
      return name;
    },
    keysAt: ({ typed, atSources }: KnownName, source: Source): AccountKeys => {
      // It stands for the client's network: one source may have many addresses.
      const { guessesKey } = source;
      const known = atSources.get(guessesKey);
      if (known !== undefined) return known;
      const keys = accountKeys(parts, source, typed);
      if (atSources.size >= maxSourcesOfName) atSources.clear();
      atSources.set(guessesKey, keys);
      return keys;
    },
  };
}

/** Determines the rules of an attempt, and whether its account is counted. */
export function createTargets(
  settings: BruteForceSettings,
  parts: SourceParts,
  remembered = maxRemembered,
): (attempt: Attempt) => CountedSubjects {
  const classify = createClassifier(settings, parts, remembered);
  const { nameOf, keysAt } = createNames(parts, remembered);
  const { protocols, userAllowlist, countsPeers, accountDelay } = settings;
  const filtered = settings.rules.some(({ protocols, oidcClientIds }) => protocols.length + oidcClientIds.length > 0);
  const scopesOf = ({ scopes }: Source, { protocol, oidcClientId }: Attempt): readonly RuleScope[] =>
    filtered ? scopes.filter(({ rule }) => ruleIsFor(rule, protocol, oidcClientId)) : scopes;
  const targetOf = (source: Source, attempt: Attempt): CountedAttempt | undefined => {
    const scopes = scopesOf(source, attempt);
    const { username } = attempt;
    if (scopes.length === 0) return undefined;
    return { source, scopes, username, keys: keysAt(nameOf(username), source) };
  };
  const accountOf = (attempt: Attempt, source: AccountSource): CountedAccount | undefined => {
    if (accountDelay === undefined) return undefined;
    const { username, keys } = nameOf(attempt.username);
    return attempt.hidesOutcome === true ? { username, keys, source, hidesOutcome: true } : { username, keys, source };
  };
  return (attempt) => {
    const { clientIp, clientIpIsPeer, protocol } = attempt;
    if (protocols?.has(protocol) === false) return notCounted;
    const { source, account, isExempt } = clientIp === undefined ? withoutAddress : classify(clientIp);
    const isListed = isExempt || userAllowlist.has(attempt.username, clientIp);
    if (clientIpIsPeer === true) {
      // Here the lists exempt a mail server, not the client that guesses through it.
      const isCounted = source !== undefined && countsPeers && !isListed;
      return {
        target: isCounted ? targetOf(source, attempt) : undefined,
        account: accountOf(attempt, sourceWithoutAddress),
      };
    }
    if (isListed) return notCounted;
    return { target: source && targetOf(source, attempt), account: accountOf(attempt, account) };
  };
}

/** Two engines' estimates of a deadline differ by less. */
const requestMarginMs = 2000;

/**
 * The request as another engine may count it too.
 *
 * @throws AppError DEADLINE_EXCEEDED after the deadline, when an engine that was frozen continues: the caller no longer waits, and the
 * engine that answered instead has counted
 */
export function requestOf({ call }: Attempt, clock: Clock): CountedRequest | undefined {
  if (call?.requestId === undefined) return undefined;
  const leftMs = call.deadline - clock.now();
  if (leftMs <= 0) throw new AppError("DEADLINE_EXCEEDED", { detail: "decided too late to be counted" });
  return { id: call.requestId, lifeMs: leftMs + requestMarginMs };
}
