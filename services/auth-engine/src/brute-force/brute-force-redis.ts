import {
  accountKeys,
  type Ban,
  parseBan,
  pendingKeyOf,
  type SourceParts,
  tolerationKeysOf,
} from "@postern/shared/brute-force";
import { defineScript, type RedisClient, type RunScript } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import { createCountCall, type Failure, readCounts } from "./count-call.ts";
import { countLua } from "./count-script.ts";
import { createGathered } from "./gathered.ts";
import { createGatheredReads } from "./gathered-reads.ts";
import { type Counted, type GuessStore, memoryMs, type Target } from "./guess-store.ts";
import { successLua } from "./success-script.ts";

/** Redis answers nobody else while it counts them: so many failures a call, and so many rules of failures. */
const maxFailuresAtOnce = 32;
const maxRulesAtOnce = 128;

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

/** Failures of one turn of the event loop by one script; on a cluster their keys lie in many slots, so one by one. */
function createCount({ redis, parts, clock, repeatWindowMs }: RedisStoreDeps): (failure: Failure) => Promise<Counted> {
  const call = createCountCall(parts, repeatWindowMs);
  const one = scriptsFor(redis, parts.rules.length, { name: "bfCount", lua: countLua, fixed: 3, each: 4 });
  const many = defineScript(redis, { name: "bfCountMany", lua: countLua });
  const ask = async (failures: readonly Failure[]): Promise<readonly (Counted | Error)[]> => {
    const { keys, args } = call(failures, clock.now());
    const [first] = failures;
    const run = redis.isCluster && first !== undefined ? one(first.target.places.length) : many;
    return readCounts(await run(keys, args), failures.length);
  };
  const most = Math.max(1, Math.min(maxFailuresAtOnce, Math.floor(maxRulesAtOnce / parts.rules.length)));
  return createGathered(ask, redis.isCluster ? 1 : most);
}

/** Counts in Redis: every key of a decision has one hash tag, so that each question is one command in one slot. */
export function createRedisStore(deps: RedisStoreDeps): GuessStore {
  const { redis, parts, clock, repeatWindowMs, takenBack } = deps;
  const most = parts.rules.length;
  const count = createCount(deps);
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
    count: (target, guess) => count({ target, guess }),
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
