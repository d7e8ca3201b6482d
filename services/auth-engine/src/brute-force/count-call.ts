import { parseBan, type SourceParts, tolerationKeysOf, windowEndMs } from "@postern/shared/domain/brute-force";
import { createHotCache } from "@postern/shared/platform/cache";
import { countedRequestKey, guessesKey, networkElsewhereKey } from "@postern/shared/platform/redis";
import type { CountedAttempt, CountResult, Guess } from "./shared-store.ts";
import { type Toleration, unknownWeight } from "./toleration.ts";

const maxDigests = 64;
const answersEach = 3;
const maxNetworks = 16_384;

export interface Failure {
  readonly target: CountedAttempt;
  readonly guess: Guess;
}

export interface CountCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Builds the keys that change only with the window once in each window. */
function createTolerationKeys(parts: SourceParts) {
  let known = createHotCache<ReturnType<typeof tolerationKeysOf>>(maxNetworks);
  let until = 0;
  return (tag: string, network: string, nowMs: number): readonly [current: string, previous: string] => {
    if (nowMs >= until) {
      known = createHotCache(maxNetworks);
      until = windowEndMs(parts, nowMs);
    }
    const found = known.get(network);
    if (found !== undefined) return found;
    const keys = tolerationKeysOf(parts, tag, { network, nowMs });
    known.set(network, keys);
    return keys;
  };
}

/** Keys of what other regions have counted. */
function elsewhereKeys({ keyPrefix }: SourceParts, { source, scopes }: CountedAttempt): readonly string[] {
  return scopes.map(({ rule, network }) => networkElsewhereKey.build(keyPrefix, source.tag, rule.name, network));
}

/** Makes the keys and arguments of `count-failures.lua`. */
export function createCountCall(
  parts: SourceParts,
  { repeatWindowMs, hasRegions }: { readonly repeatWindowMs: number; readonly hasRegions: boolean },
): (failures: readonly Failure[], nowMs: number) => CountCall {
  const tolerationKeys = createTolerationKeys(parts);
  const ruleNumbers = new Map(parts.rules.map(({ name }, index) => [name, index + 1]));
  const settings = JSON.stringify({
    repeatWindowMs,
    maxDigests,
    guessesLifeMs: guessesKey.ttlSeconds * 1000,
    unknownWeight,
    rules: parts.rules.map(({ name, periodMs, failedRequests, banMs }) => ({ name, periodMs, failedRequests, banMs })),
  });
  return (failures, nowMs) => {
    const stringKeys: string[] = [];
    const otherKeys: string[] = [];
    const tolerations: Toleration[] = [];
    const [digests, networks]: [string[], string[]] = [[], []];
    const requestLives: number[] = [];
    const [known, tolerationOf, ruleCounts, rules]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (const { target, guess } of failures) {
      const { source, scopes } = target;
      let tolerationIndex = tolerations.indexOf(guess.toleration);
      if (tolerationIndex < 0) tolerationIndex = tolerations.push(guess.toleration) - 1;
      stringKeys.push(target.keys.pending);
      const requestKey = countedRequestKey.build(parts.keyPrefix, source.tag, guess.request?.id ?? "");
      otherKeys.push(target.keys.wrongPasswords, source.guessesKey, requestKey);
      requestLives.push(Math.max(0, Math.ceil(guess.request?.lifeMs ?? 0)));
      digests.push(guess.digest);
      known.push(guess.known ? 1 : 0);
      tolerationOf.push(tolerationIndex + 1);
      ruleCounts.push(scopes.length);
      for (const { banKey, countKey, network, rule } of scopes) {
        const [now, before] = tolerationKeys(source.tag, network, nowMs);
        stringKeys.push(banKey);
        otherKeys.push(countKey, now, before);
        rules.push(ruleNumbers.get(rule.name) ?? 0);
        networks.push(network);
      }
      if (hasRegions) stringKeys.push(...elsewhereKeys(parts, target));
    }
    const lists = { tolerations, digests, known, requestLives, tolerationOf, ruleCounts, rules, networks };
    const regions = hasRegions ? true : undefined;
    const batch = JSON.stringify({ stringKeys: stringKeys.length, regions, ...lists });
    return { keys: stringKeys.concat(otherKeys), args: [settings, batch] };
  };
}

/** Reads the reply of `count-failures.lua`, in the order of the failures. */
export function readCounts(answer: unknown, failures: number): readonly (CountResult | Error)[] {
  if (!Array.isArray(answer)) throw new TypeError("the counting script did not return a list");
  const [figureText, ...explanations] = answer.map(String);
  const figures = (figureText ?? "").split(" ").map(Number);
  let explained = 0;
  return Array.from({ length: failures }, (_, index) => {
    const start = index * answersEach;
    const [status = 0, accountPasswordsSeen = 0, totalPasswordsSeen = 0] = figures.slice(start, start + answersEach);
    if (status < 0) return new Error(explanations[explained++]);
    return {
      repeated: (status & 1) !== 0,
      ban: (status & 2) === 0 ? undefined : parseBan(explanations[explained++] ?? ""),
      isNew: (status & 4) !== 0,
      accountPasswordsSeen,
      totalPasswordsSeen,
    };
  });
}
