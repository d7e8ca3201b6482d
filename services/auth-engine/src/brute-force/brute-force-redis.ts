import { parseBan, type SourceParts, tolerationKeysOf } from "@postern/shared/domain/brute-force";
import { createHotCache } from "@postern/shared/platform/cache";
import {
  defineVariableScript,
  type RedisClient,
  type RunVariableScript,
  readFields,
  type VariableScript,
} from "@postern/shared/platform/redis";
import { createBatched } from "./batched.ts";
import { createCountCall, type Failure, readCounts } from "./count-call.ts";
import type { RedisGuard } from "./redis-guard.ts";
import countFailuresLua from "./scripts/count-failures.lua?raw";
import recordSuccessLua from "./scripts/record-success.lua?raw";
import {
  type CountedAccount,
  type CountedAttempt,
  type CountResult,
  memoryMs,
  type NetworkNote,
  type RedisParts,
  type RiskKeys,
  type RiskRead,
  type SharedBanState,
  type SharedStore,
} from "./shared-store.ts";

const countFailures = { name: "countFailures", lua: countFailuresLua };
const recordSuccess = { name: "recordSuccess", lua: recordSuccessLua };

/** Limits of one call, because Redis serves no other client while it runs: attempts, and rules of all attempts. */
const maxAttemptsAtOnce = 32;
const maxRulesAtOnce = 128;

interface RedisStoreDeps extends RedisParts {
  readonly parts: SourceParts;
  readonly guard: Pick<RedisGuard, "run" | "isUnavailable">;
  readonly repeatWindowMs: number;
  /** Wrong passwords that a success subtracts. */
  readonly maxForgiven: number;
}

/** On a cluster the keys of attempts are in many slots, so each attempt is its own call. */
function atOnce({ isCluster }: RedisClient, { rules }: SourceParts): number {
  return isCluster
    ? 1
    : Math.max(1, Math.min(maxAttemptsAtOnce, Math.floor(maxRulesAtOnce / Math.max(1, rules.length))));
}

/**
 * One command for each number of rules, because the number of keys of a command is fixed. All are defined at the start: a
 * pipeline that is open does not know commands that are defined later.
 */
function scriptsFor(
  redis: RedisClient,
  maxRules: number,
  { script, fixed, each }: { readonly script: VariableScript; readonly fixed: number; readonly each: number },
) {
  const scripts = Array.from({ length: maxRules }, (_, index) =>
    defineVariableScript(redis, script, fixed + each * (index + 1)),
  );
  return (rules: number): RunVariableScript => {
    const run = scripts[rules - 1];
    if (run === undefined) throw new RangeError(`no script for ${rules} rules`);
    return run;
  };
}

interface BanStateQuery {
  readonly target: CountedAttempt | undefined;
  readonly account: CountedAccount | undefined;
  readonly risk: RiskKeys | undefined;
  /** Whether what is read is worth keeping. */
  readonly isKept?: boolean;
}

/** Values of the two keys, in their order. */
function riskReadOf(
  keys: RiskKeys | undefined,
  account: string | null | undefined,
  source: string | null | undefined,
): RiskRead | undefined {
  return keys === undefined ? undefined : { keys, account: account ?? "", source: source ?? "" };
}

/** Keys of the source, which have one hash tag. The account has another one. */
function sourceKeys({ target }: BanStateQuery): readonly string[] {
  return target === undefined ? [] : [...target.scopes.map(({ banKey }) => banKey), target.keys.pending];
}

function banStateOf(
  { target }: BanStateQuery,
  ofSource: readonly (string | null)[],
  { delayed, riskRead }: { readonly delayed: string | null; readonly riskRead: RiskRead | undefined },
): SharedBanState {
  const ban = ofSource.slice(0, target?.scopes.length ?? 0).find((value) => value !== null);
  return {
    ban: typeof ban === "string" ? parseBan(ban) : undefined,
    pending: target !== undefined && ofSource[target.scopes.length] !== null,
    accountFailures: delayed === null ? 0 : Number(delayed),
    riskRead,
  };
}

function keysOf(queries: readonly BanStateQuery[]): string[] {
  const keys: string[] = [];
  for (const { target, account, risk } of queries) {
    if (target !== undefined) {
      for (const { banKey } of target.scopes) keys.push(banKey);
      keys.push(target.keys.pending);
    }
    if (account !== undefined) keys.push(account.keys.delayed);
    if (risk !== undefined) keys.push(risk.account.key, risk.source.key);
  }
  return keys;
}

/** The answers to queries whose keys have these values. */
function statesOf(queries: readonly BanStateQuery[], values: readonly (string | null)[]): readonly SharedBanState[] {
  let next = 0;
  return queries.map((one) => {
    const first = next;
    next += one.target === undefined ? 0 : one.target.scopes.length + 1;
    const ofSource = values.slice(first, next);
    const delayed = one.account === undefined ? null : (values[next++] ?? null);
    const riskRead = one.risk && riskReadOf(one.risk, values[next++], values[next++]);
    return banStateOf(one, ofSource, { delayed, riskRead });
  });
}

/** Reads bans, pending failures and delayed accounts for the attempts of one turn of the event loop by one command. */
async function readInOneCommand(redis: RedisClient, queries: readonly BanStateQuery[]) {
  const keys = keysOf(queries);
  return statesOf(queries, keys.length === 0 ? [] : await redis.mget(keys));
}

/** Reads what is worth keeping by another command. */
async function readAndKeep({ redis, tracked }: RedisStoreDeps, queries: readonly BanStateQuery[]) {
  const kept = tracked === undefined ? [] : queries.filter(({ isKept }) => isKept === true);
  if (tracked === undefined || kept.length === 0) return readInOneCommand(redis, queries);
  const others = queries.filter(({ isKept }) => isKept !== true);
  const [ofKept, ofOthers] = await Promise.all([tracked.read(keysOf(kept)), readInOneCommand(redis, others)]);
  const states = [statesOf(kept, ofKept), ofOthers].map((each) => each.values());
  return queries.map(({ isKept }) => {
    const next = states[isKept === true ? 0 : 1]?.next();
    if (next?.value === undefined) throw new RangeError("a state is missing");
    return next.value;
  });
}

/** On a cluster each hash tag needs a command; they are sent concurrently. */
async function readByHashTag(redis: RedisClient, query: BanStateQuery): Promise<SharedBanState> {
  const keys = sourceKeys(query);
  const { risk } = query;
  const [ofSource, delayed, ofAccount, ofNetwork] = await Promise.all([
    keys.length === 0 ? [] : redis.mget([...keys]),
    query.account === undefined ? null : redis.get(query.account.keys.delayed),
    risk === undefined ? null : redis.get(risk.account.key),
    risk === undefined ? null : redis.get(risk.source.key),
  ]);
  return banStateOf(query, ofSource, { delayed, riskRead: riskReadOf(risk, ofAccount, ofNetwork) });
}

const maxSignedIn = 16_384;

function createCheck(deps: RedisStoreDeps): Pick<SharedStore, "check" | "keep"> {
  const { redis, parts, guard, tracked, clock } = deps;
  /** Names and networks with a success, by their key. For others nothing is kept, because attackers choose them. */
  const signedIn = createHotCache<true>(maxSignedIn);
  const ask = (queries: readonly BanStateQuery[]): Promise<readonly SharedBanState[] | undefined> =>
    guard.run(() =>
      redis.isCluster ? Promise.all(queries.map((one) => readByHashTag(redis, one))) : readAndKeep(deps, queries),
    );
  const check = createBatched(ask, { maxBatchSize: atOnce(redis, parts) });
  /** What is kept, unless it is a ban that has ended and that Redis has not deleted yet. */
  const kept = (query: BanStateQuery): SharedBanState | undefined => {
    const queries = [query];
    const values = guard.isUnavailable ? undefined : tracked?.peek(keysOf(queries));
    const state = values && statesOf(queries, values)[0];
    return state?.ban !== undefined && state.ban.expiresAtMs <= clock.now() ? undefined : state;
  };
  return {
    check: (target, account, risk) => {
      if (tracked === undefined || target === undefined || signedIn.get(target.keys.pending) === undefined)
        return check({ target, account, risk });
      const query = { target, account, risk, isKept: true };
      const state = kept(query);
      return state === undefined ? check(query) : Promise.resolve(state);
    },
    keep: (target) => {
      if (tracked !== undefined) signedIn.set(target.keys.pending, true);
    },
  };
}

/** What was counted may have created a ban, and can be forgiven. */
function forget({ tracked }: RedisStoreDeps, { scopes, keys }: CountedAttempt): void {
  tracked?.forget([...scopes.map(({ banKey }) => banKey), keys.pending]);
}

/** Counts failures of networks. */
export const failuresScript = countFailures;

/** Other regions add the counts of these networks to their own. */
function markForRegions({ marks }: RedisStoreDeps, attempts: readonly CountedAttempt[]): void {
  if (marks === undefined) return;
  marks.markSoon(attempts.flatMap(({ scopes }) => scopes.map(({ rule, network }) => ({ rule: rule.name, network }))));
}

/** Counts the failures of one turn of the event loop by one script. */
function createCount(deps: RedisStoreDeps): SharedStore["count"] {
  const { redis, parts, clock, repeatWindowMs, guard } = deps;
  const hasRegions = deps.marks !== undefined;
  const call = createCountCall(parts, { repeatWindowMs, hasRegions });
  const one = scriptsFor(redis, parts.rules.length, { script: countFailures, fixed: 4, each: hasRegions ? 5 : 4 });
  const { runCount: many = defineVariableScript(redis, countFailures) } = deps;
  const countAll = async (failures: readonly Failure[]): Promise<readonly (CountResult | Error)[]> => {
    const { keys, args } = call(failures, clock.now());
    const [first] = failures;
    const run = redis.isCluster && first !== undefined ? one(first.target.scopes.length) : many;
    const answers = readCounts(await run(keys, args), failures.length);
    for (const { target } of failures) forget(deps, target);
    const counted = failures.filter((_failure, index) => {
      const answer = answers[index];
      return answer !== undefined && !(answer instanceof Error) && !answer.repeated;
    });
    markForRegions(
      deps,
      counted.map(({ target }) => target),
    );
    // Redis is out of memory, or no longer the master: every failure has the same error.
    const [failed] = answers;
    if (failed instanceof Error && answers.every((answer) => answer instanceof Error)) throw failed;
    return answers;
  };
  const count = createBatched((failures: readonly Failure[]) => guard.run(() => countAll(failures)), {
    maxBatchSize: atOnce(redis, parts),
    gathersBehind: !redis.isCluster,
  });
  return (target, guess) => count({ target, guess });
}

/** What `record-success.lua` is told of a network if there is none to note. */
const noNote: NetworkNote["args"] = ["", 0, 0, 0, 0];

/** Counts in Redis. All keys of a decision have one hash tag, so each operation is one command in one slot. */
export function createRedisStore(deps: RedisStoreDeps): SharedStore {
  const { redis, parts, clock, repeatWindowMs, maxForgiven, guard } = deps;
  const successScript = scriptsFor(redis, parts.rules.length, { script: recordSuccess, fixed: 2, each: 3 });
  const successWithNote = defineVariableScript(redis, recordSuccess);
  return {
    ...createCheck(deps),
    count: createCount(deps),
    forget: (scopes) => deps.tracked?.forget(scopes.map(({ banKey }) => banKey)),
    forgiven: (target) => markForRegions(deps, [target]),
    succeed: ({ source, scopes, keys: own }, account, { minPercent }, note) => {
      const keys = [own.wrongPasswords, own.pending];
      const args = [
        account,
        maxForgiven,
        2 * parts.tolerateMs,
        memoryMs(repeatWindowMs, scopes),
        ...(note?.args ?? noNote),
      ];
      for (const { banKey, countKey, network, rule } of scopes) {
        keys.push(banKey, countKey, tolerationKeysOf(parts, source.tag, { network, nowMs: clock.now() })[0]);
        args.push(rule.periodMs, rule.failedRequests, minPercent);
      }
      return guard.run(async () => {
        const isWithNote = note !== undefined && !redis.isCluster;
        const run = isWithNote ? successWithNote : successScript(scopes.length);
        const { ban, noted } = readFields(await run(isWithNote ? [...keys, ...note.keys] : keys, args));
        deps.tracked?.forget([own.pending]);
        return { ban: typeof ban === "string" ? parseBan(ban) : undefined, isNoted: isWithNote && noted === 1 };
      });
    },
  };
}
