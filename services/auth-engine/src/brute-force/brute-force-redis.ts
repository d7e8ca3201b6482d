import {
  accountKeys,
  type Ban,
  guessesKeyOf,
  parseBan,
  pendingKeyOf,
  type RulePlace,
  type SourceParts,
  tolerationKeysOf,
} from "@postern/shared/brute-force";
import { defineScript, guessesKey, type RedisClient, type RunScript } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import { countLua, successLua } from "./count-script.ts";
import { createGatheredReads } from "./gathered-reads.ts";
import { type Counted, type Guess, type GuessStore, memoryMs, type Target } from "./guess-store.ts";
import { unknownWeight } from "./toleration.ts";

const maxDigests = 64;

export interface RedisStoreDeps {
  readonly redis: RedisClient;
  readonly parts: SourceParts;
  readonly clock: Clock;
  readonly repeatWindowMs: number;
  /** Wrong passwords that a success takes back. */
  readonly takenBack: number;
}

/**
 * One command for each number of rules: a command's number of keys is fixed. All are made now: a pipeline that is open
 * does not know commands that come later.
 */
function scriptsFor(redis: RedisClient, most: number, { name, lua, fixed, each }: ScriptShape) {
  const made = Array.from({ length: most }, (_, index) =>
    defineScript(redis, { name: `${name}${index + 1}`, lua, numberOfKeys: fixed + each * (index + 1) }),
  );
  return (rules: number): RunScript => {
    const run = made[rules - 1];
    if (run === undefined) throw new RangeError(`no script for ${rules} rules`);
    return run;
  };
}

interface ScriptShape {
  readonly name: string;
  readonly lua: string;
  readonly fixed: number;
  readonly each: number;
}

function asList(answer: unknown): readonly unknown[] {
  if (!Array.isArray(answer)) throw new TypeError("a script answered with no list");
  return answer;
}

function ruleArguments({ rule, network }: RulePlace, { toleration }: Guess): readonly (string | number)[] {
  const { minPercent, maxPercent, scale } = toleration;
  return [rule.periodMs, rule.failedRequests, rule.banMs, rule.name, network, minPercent, maxPercent, scale];
}

function countedOf(answer: unknown): Counted {
  const [repeated, seen, total, banned, isNew, value] = asList(answer);
  return {
    repeated: Number(repeated) === 1,
    accountPasswordsSeen: Number(seen),
    totalPasswordsSeen: Number(total),
    ban: Number(banned) === 0 ? undefined : parseBan(String(value)),
    isNew: Number(isNew) > 0,
  };
}

/** Counts in Redis: every key of a decision has one hash tag, so that each question is one command in one slot. */
export function createRedisStore(deps: RedisStoreDeps): GuessStore {
  const { redis, parts, clock, repeatWindowMs, takenBack } = deps;
  const most = parts.rules.length;
  const countScript = scriptsFor(redis, most, { name: "bfCount", lua: countLua, fixed: 3, each: 4 });
  const successScript = scriptsFor(redis, most, { name: "bfSuccess", lua: successLua, fixed: 2, each: 3 });
  const read = createGatheredReads(redis);
  const goodKeys = ({ source }: Target, network: string): readonly [string, string] =>
    tolerationKeysOf(parts, source.tag, { network, nowMs: clock.now() });
  return {
    check: async ({ source, places, username }) => {
      const keys = places.map(({ banKey }) => banKey);
      keys.push(pendingKeyOf(parts, source, username));
      const values = await read(keys);
      const value = values.find((found, index) => index < places.length && found !== null);
      return { ban: typeof value === "string" ? parseBan(value) : undefined, pending: values.at(-1) !== null };
    },
    count: async (target, guess) => {
      const { source, places, username } = target;
      const { wrongPasswords, pending } = accountKeys(parts, source, username);
      const keys = [wrongPasswords, pending, guessesKeyOf(parts, source)];
      const memory = memoryMs(repeatWindowMs, places);
      const args: (string | number)[] = [
        guess.digest,
        guess.known ? 1 : 0,
        memory,
        maxDigests,
        guessesKey.ttlSeconds * 1000,
        unknownWeight,
      ];
      for (const place of places) {
        keys.push(place.banKey, place.countKey, ...goodKeys(target, place.network));
        args.push(...ruleArguments(place, guess));
      }
      return countedOf(await countScript(places.length)(keys, args));
    },
    succeed: async (target, account, { minPercent }): Promise<Ban | undefined> => {
      const { source, places, username } = target;
      const { wrongPasswords, pending } = accountKeys(parts, source, username);
      const keys = [wrongPasswords, pending];
      const args: (string | number)[] = [account, takenBack, 2 * parts.tolerateMs, memoryMs(repeatWindowMs, places)];
      for (const { banKey, countKey, network, rule } of places) {
        keys.push(banKey, countKey, goodKeys(target, network)[0]);
        args.push(rule.periodMs, rule.failedRequests, minPercent);
      }
      const [banned, value] = asList(await successScript(places.length)(keys, args));
      return Number(banned) === 0 ? undefined : parseBan(String(value));
    },
  };
}
