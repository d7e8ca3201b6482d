import type { AccountKeys, Ban, RulePlace, Source } from "@postern/shared/brute-force";
import type { Toleration } from "./toleration.ts";

/** One attempt in the eyes of the rules. */
export interface Target {
  readonly source: Source;
  /** Rules that the attempt is subject to, in the order of the configuration. */
  readonly places: readonly RulePlace[];
  readonly username: string;
  /** The account's own, at this source. */
  readonly keys: AccountKeys;
}

export interface Standing {
  readonly ban: Ban | undefined;
  /** The account's success would take failures back. */
  readonly pending: boolean;
}

export interface Guess {
  /** Keyed digest of user name and password. */
  readonly digest: string;
  readonly known: boolean;
  /** What a directory calls the account; absent where none said so. */
  readonly account?: string | undefined;
  readonly toleration: Toleration;
}

export interface Counted {
  readonly repeated: boolean;
  readonly accountPasswordsSeen: number;
  readonly totalPasswordsSeen: number;
  readonly ban: Ban | undefined;
  /** This very failure made a ban. */
  readonly isNew: boolean;
}

/** What came of a success: with a ban nothing was learned from it. */
export interface Succeeded {
  readonly ban: Ban | undefined;
}

/** Where failures are counted for all engines: Redis. Undefined while it is away. */
export interface SharedStore {
  check(target: Target): Promise<Standing | undefined>;
  /** Rejects where this failure could not be counted while others could. */
  count(target: Target, guess: Guess): Promise<Counted | undefined>;
  /** Learns from a success, unless a ban stands. */
  succeed(target: Target, account: string, toleration: Toleration): Promise<Succeeded | undefined>;
}

/** Where failures are counted while Redis is away: this process. */
export interface GuessStore {
  check(target: Target): Standing;
  count(target: Target, guess: Guess): Counted;
  succeed(target: Target, account: string, toleration: Toleration): Succeeded;
}

/** The longest time for which a repeated wrong password of these rules must be remembered. */
export function memoryMs(windowMs: number, places: readonly RulePlace[]): number {
  return places.reduce((longest, { rule }) => Math.max(longest, rule.periodMs), windowMs);
}
