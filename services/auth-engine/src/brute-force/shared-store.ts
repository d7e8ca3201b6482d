import type {
  AccountKeys,
  AccountWideKeys,
  Ban,
  CountMarks,
  RuleScope,
  Source,
} from "@postern/shared/domain/brute-force";
import type { RedisClient, RunVariableScript, TrackedValues } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { RedisGuard } from "./redis-guard.ts";
import type { Toleration } from "./toleration.ts";

/** Origin of an attempt, as its account may know it. */
export interface AccountSource {
  /** Undefined for a request without a client address, which no account knows. */
  readonly network: string | undefined;
  /** Known to every account. */
  readonly isTrusted: boolean;
}

/** A digest and the Redis key with the facts about it. */
export interface RiskSubject {
  readonly id: string;
  readonly key: string;
}

/** What the check for bans reads for the score of a sign-in, in the same round trip. */
export interface RiskKeys {
  readonly account: RiskSubject;
  readonly source: RiskSubject;
}

/** What was read; a value is empty if there is none. */
export interface RiskRead {
  readonly keys: RiskKeys;
  readonly account: string;
  readonly source: string;
}

/** One attempt as the rules see it. */
export interface CountedAttempt {
  readonly source: Source;
  /** Rules that apply to the attempt, in the order of the configuration. */
  readonly scopes: readonly RuleScope[];
  readonly username: string;
  /** The account's keys for this source. */
  readonly keys: AccountKeys;
}

/** The attempt as its account sees it, for all networks together. */
export interface CountedAccount {
  /** The typed name, folded: the only name under which the account's failures are counted, looked up and delayed. */
  readonly username: string;
  readonly keys: AccountWideKeys;
  readonly source: AccountSource;
  /** The rest of the sign-in must look the same for a right and a wrong password, including its duration. */
  readonly hidesOutcome?: boolean;
}

/** Whether a ban is in force for an attempt. */
export interface BanState {
  readonly ban: Ban | undefined;
  /** The account's success would forgive failures. */
  readonly pending: boolean;
}

export interface SharedBanState extends BanState {
  /** What is known of the account and the network; absent if it was not read. */
  readonly riskRead?: RiskRead | undefined;
  /** Distinct wrong passwords of a delayed account; 0 for any other. */
  readonly accountFailures: number;
}

export interface Guess {
  /** Keyed digest of user name and password. */
  readonly digest: string;
  readonly known: boolean;
  /** The backend's own name for the account; absent if none was returned. */
  readonly account?: string | undefined;
  readonly toleration: Toleration;
  /** The request that brought the guess; absent if no other engine can have received it. */
  readonly request?: CountedRequest | undefined;
}

export interface CountedRequest {
  readonly id: string;
  /** Time for which another engine may still count it, in milliseconds. */
  readonly lifeMs: number;
}

export interface CountResult {
  readonly repeated: boolean;
  readonly accountPasswordsSeen: number;
  readonly totalPasswordsSeen: number;
  readonly ban: Ban | undefined;
  /** Whether this failure created a ban. */
  readonly isNew: boolean;
}

/** Result of recording a success; with a ban, nothing was recorded. */
export interface SuccessResult {
  readonly ban: Ban | undefined;
  /** Whether the network was noted for the account in the same call. */
  readonly isNoted?: boolean;
}

/** A network from which an account signed in. */
export interface NetworkNote {
  /** The known networks of the account, under each of its names. */
  readonly keys: readonly string[];
  /** Network, time (s since the epoch), time for which it is known (s), largest number of networks, 1 to remove older ones or 0. */
  readonly args: readonly [network: string, now: number, known: number, max: number, trim: number];
}

/** What the stores in Redis use. */
export interface RedisParts {
  readonly redis: RedisClient;
  /** Of Redis. */
  readonly clock: Clock;
  readonly guard: Pick<RedisGuard, "run">;
  /** Runs the script of failures together with another one; absent on a cluster. */
  readonly runCount?: RunVariableScript | undefined;
  /** What the check reads, as far as Redis reports changes. */
  readonly tracked?: TrackedValues | undefined;
  /** Notes what has changed for other regions; absent without regions. */
  readonly marks?: Pick<CountMarks, "markSoon"> | undefined;
}

/** The Redis store in which all engines count failures. Returns undefined while Redis is unavailable. */
export interface SharedStore {
  /** `risk`: what is read in the same round trip. */
  check(
    target: CountedAttempt | undefined,
    account?: CountedAccount,
    risk?: RiskKeys,
  ): Promise<SharedBanState | undefined>;
  /** Rejects if this failure could not be counted but others could. */
  count(target: CountedAttempt, guess: Guess): Promise<CountResult | undefined>;
  /** The attempt succeeded: what the next check of this name and network reads is kept until it changes. */
  keep(target: CountedAttempt): void;
  /** The bans of these rules and networks have changed: the next check reads them from Redis. */
  forget(scopes: readonly Pick<RuleScope, "banKey">[]): void;
  /** A success may have subtracted failures of the account. */
  forgiven?(target: CountedAttempt): void;
  /** Records a success, unless a ban is in force. `note`: may be part of the call. */
  succeed(
    target: CountedAttempt,
    account: string,
    toleration: Toleration,
    note?: NetworkNote,
  ): Promise<SuccessResult | undefined>;
}

/** The longest time for which these rules need a repeated wrong password to be remembered. */
export function memoryMs(windowMs: number, scopes: readonly RuleScope[]): number {
  return scopes.reduce((longest, { rule }) => Math.max(longest, rule.periodMs), windowMs);
}
