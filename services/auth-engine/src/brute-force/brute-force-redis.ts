import { parseBan, type SourceParts, tolerationKeysOf } from "@postern/shared/brute-force";
import { defineScript, type RedisClient, type RunScript } from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import { createCountCall, type Failure, readCounts } from "./count-call.ts";
import { countLua } from "./count-script.ts";
import { createGathered } from "./gathered.ts";
import { type Counted, memoryMs, type SharedStore, type Standing, type Target } from "./guess-store.ts";
import type { RedisGuard } from "./redis-guard.ts";
import { successLua } from "./success-script.ts";

/** Redis answers nobody else meanwhile: so many attempts a call, and so many rules of attempts. */
const maxAttemptsAtOnce = 32;
const maxRulesAtOnce = 128;

export interface RedisStoreDeps {
  readonly redis: RedisClient;
  readonly parts: SourceParts;
  readonly clock: Clock;
  readonly guard: Pick<RedisGuard, "run">;
  readonly repeatWindowMs: number;
  /** Wrong passwords that a success takes back. */
  readonly takenBack: number;
}

/** On a cluster the keys of attempts lie in many slots, so that each is asked for alone. */
function atOnce({ isCluster }: RedisClient, { rules }: SourceParts): number {
  return isCluster ? 1 : Math.max(1, Math.min(maxAttemptsAtOnce, Math.floor(maxRulesAtOnce / rules.length)));
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

/** Bans and pending failures of the attempts of one turn of the event loop, by one command; see `atOnce`. */
function createCheck({ redis, parts, guard }: RedisStoreDeps): SharedStore["check"] {
  const ask = async (targets: readonly Target[]): Promise<readonly Standing[] | undefined> => {
    const keys: string[] = [];
    for (const target of targets) {
      for (const { banKey } of target.places) keys.push(banKey);
      keys.push(target.keys.pending);
    }
    const values = await guard.run(() => redis.mget(keys));
    if (values === undefined) return undefined;
    let next = 0;
    return targets.map(({ places }) => {
      const first = next;
      next += places.length + 1;
      const ban = values.slice(first, next - 1).find((value) => value !== null);
      return { ban: typeof ban === "string" ? parseBan(ban) : undefined, pending: values[next - 1] !== null };
    });
  };
  return createGathered(ask, atOnce(redis, parts));
}

/** Failures of one turn of the event loop by one script. */
function createCount(deps: RedisStoreDeps): SharedStore["count"] {
  const { redis, parts, clock, repeatWindowMs, guard } = deps;
  const call = createCountCall(parts, repeatWindowMs);
  const one = scriptsFor(redis, parts.rules.length, { name: "bfCount", lua: countLua, fixed: 3, each: 4 });
  const many = defineScript(redis, { name: "bfCountMany", lua: countLua });
  const countAll = async (failures: readonly Failure[]): Promise<readonly (Counted | Error)[]> => {
    const { keys, args } = call(failures, clock.now());
    const [first] = failures;
    const run = redis.isCluster && first !== undefined ? one(first.target.places.length) : many;
    const answers = readCounts(await run(keys, args), failures.length);
    // No memory, no longer the master: then it is so for all.
    const [failed] = answers;
    if (failed instanceof Error && answers.every((answer) => answer instanceof Error)) throw failed;
    return answers;
  };
  const count = createGathered(
    (failures: readonly Failure[]) => guard.run(() => countAll(failures)),
    atOnce(redis, parts),
  );
  return (target, guess) => count({ target, guess });
}

/** Counts in Redis: every key of a decision has one hash tag, so that each question is one command in one slot. */
export function createRedisStore(deps: RedisStoreDeps): SharedStore {
  const { redis, parts, clock, repeatWindowMs, takenBack, guard } = deps;
  const successScript = scriptsFor(redis, parts.rules.length, {
    name: "bfSuccess",
    lua: successLua,
    fixed: 2,
    each: 3,
  });
  return {
    check: createCheck(deps),
    count: createCount(deps),
    succeed: ({ source, places, keys: own }, account, { minPercent }) => {
      const keys = [own.wrongPasswords, own.pending];
      const args: (string | number)[] = [account, takenBack, 2 * parts.tolerateMs, memoryMs(repeatWindowMs, places)];
      for (const { banKey, countKey, network, rule } of places) {
        keys.push(banKey, countKey, tolerationKeysOf(parts, source.tag, { network, nowMs: clock.now() })[0]);
        args.push(rule.periodMs, rule.failedRequests, minPercent);
      }
      return guard.run(async () => {
        const [banned, value] = asList(await successScript(places.length)(keys, args));
        return { ban: Number(banned) === 0 ? undefined : parseBan(String(value)) };
      });
    },
  };
}
