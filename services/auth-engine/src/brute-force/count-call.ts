import { parseBan, type SourceParts, tolerationKeysOf, windowEndMs } from "@postern/shared/brute-force";
import { guessesKey } from "@postern/shared/redis";
import { createBoundedMap } from "./bounded-map.ts";
import type { Counted, Guess, Target } from "./guess-store.ts";
import { type Toleration, unknownWeight } from "./toleration.ts";

const maxDigests = 64;
const answersEach = 3;
const maxNetworks = 16_384;

export interface Failure {
  readonly target: Target;
  readonly guess: Guess;
}

export interface CountCall {
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Keys that change with the window only are made once in it. */
function createTolerationKeys(parts: SourceParts) {
  const known = createBoundedMap<ReturnType<typeof tolerationKeysOf>>(maxNetworks);
  let until = 0;
  return (tag: string, network: string, nowMs: number): readonly [current: string, previous: string] => {
    if (nowMs >= until) {
      known.clear();
      until = windowEndMs(parts, nowMs);
    }
    const found = known.get(network);
    if (found !== undefined) return found;
    const keys = tolerationKeysOf(parts, tag, { network, nowMs });
    known.set(network, keys);
    return keys;
  };
}

/** What the counting script is told of failures; what is the same for all is told once. */
export function createCountCall(
  parts: SourceParts,
  repeatWindowMs: number,
): (failures: readonly Failure[], nowMs: number) => CountCall {
  const tolerationKeys = createTolerationKeys(parts);
  const nthOfRule = new Map(parts.rules.map(({ name }, index) => [name, index + 1]));
  const rules = parts.rules.flatMap(({ name, periodMs, failedRequests, banMs }) => [
    name,
    periodMs,
    failedRequests,
    banMs,
  ]);
  return (failures, nowMs) => {
    const strings: string[] = [];
    const keys: string[] = [];
    const tolerations: Toleration[] = [];
    const args: (string | number)[] = [];
    for (const { target, guess } of failures) {
      const { source, places } = target;
      let nth = tolerations.indexOf(guess.toleration);
      if (nth < 0) nth = tolerations.push(guess.toleration) - 1;
      strings.push(target.keys.pending);
      keys.push(target.keys.wrongPasswords, source.guessesKey);
      args.push(guess.digest, guess.known ? 1 : 0, nth + 1, places.length);
      for (const { banKey, countKey, network, rule } of places) {
        const [now, before] = tolerationKeys(source.tag, network, nowMs);
        strings.push(banKey);
        keys.push(countKey, now, before);
        args.push(nthOfRule.get(rule.name) ?? 0, network);
      }
    }
    const start = [repeatWindowMs, maxDigests, guessesKey.ttlSeconds * 1000, unknownWeight, strings.length];
    const tolerated = tolerations.flatMap(({ minPercent, maxPercent, scale }) => [minPercent, maxPercent, scale]);
    return { keys: strings.concat(keys), args: [JSON.stringify([start, rules, tolerated, args])] };
  };
}

/** What it answered, in the order of the failures. */
export function readCounts(answer: unknown, failures: number): readonly (Counted | Error)[] {
  if (!Array.isArray(answer)) throw new TypeError("the counting script answered with no list");
  const figures = String(answer[0]).split(" ");
  let said = 1;
  return Array.from({ length: failures }, (_, index) => {
    const status = Number(figures[index * answersEach]);
    if (status < 0) return new Error(String(answer[said++]));
    return {
      repeated: (status & 1) !== 0,
      ban: (status & 2) === 0 ? undefined : parseBan(String(answer[said++])),
      isNew: (status & 4) !== 0,
      accountPasswordsSeen: Number(figures[index * answersEach + 1]),
      totalPasswordsSeen: Number(figures[index * answersEach + 2]),
    };
  });
}
