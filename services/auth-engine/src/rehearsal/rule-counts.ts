import type { RuleScope } from "@postern/shared/domain/brute-force";
import type { Clock } from "@postern/shared/platform/time";
import type { WindowCount } from "../brute-force/fallback/window.ts";
import { NumberTable } from "./number-set.ts";

/** How many networks are kept; those that were changed longest ago make room. */
const maxNetworks = 150_000;
const second = 1000;
const endOf = (row: ArrayLike<number>): number => (row[0] ?? 0) * second + (row[1] ?? 0);

/** The counts and bans of one rule, by the number of the network. */
export class RuleCounts {
  readonly #rule: RuleScope["rule"];
  readonly #clock: Clock;
  /** The columns of a `WindowCount`. */
  readonly #counts: NumberTable;
  /** When the ban ends, in seconds and milliseconds. */
  readonly #bans: NumberTable;

  constructor(rule: RuleScope["rule"], clock: Clock) {
    this.#rule = rule;
    this.#clock = clock;
    const isOld = ([window = 0]: ArrayLike<number> & Iterable<number>): boolean =>
      Math.floor(clock.now() / rule.periodMs) > window + 1;
    this.#counts = new NumberTable(6, maxNetworks, isOld);
    this.#bans = new NumberTable(2, maxNetworks, (row) => endOf(row) <= clock.now());
  }

  /** Whether something that still counted had to make room. */
  get isIncomplete(): boolean {
    return this.#counts.dropped + this.#bans.dropped > 0;
  }

  /** 0 for a network that was never banned. */
  banEndMs(network: number): number {
    return this.#bans.get(network, 0) * second + this.#bans.get(network, 1);
  }

  /** Returns the end of the ban. */
  ban(network: number): number {
    const endsMs = this.#clock.now() + this.#rule.banMs;
    this.#bans.put(network, [Math.floor(endsMs / second), endsMs % second]);
    return endsMs;
  }

  has(network: number): boolean {
    return this.#counts.has(network);
  }

  get(network: number): WindowCount {
    const counts = this.#counts;
    return {
      window: counts.get(network, 0),
      known: counts.get(network, 1),
      unknown: counts.get(network, 2),
      previousKnown: counts.get(network, 3),
      previousUnknown: counts.get(network, 4),
      forgiven: counts.get(network, 5),
    };
  }

  put(network: number, count: WindowCount): void {
    const { window, known, unknown, previousKnown, previousUnknown, forgiven } = count;
    this.#counts.put(network, [window, known, unknown, previousKnown, previousUnknown, forgiven]);
  }
}
