import type { AuthDecision } from "@postern/shared/contracts";
import type { DecisionNote } from "@postern/shared/domain/history";
import {
  addCounts,
  type ChartOutcome,
  latencyBounds,
  newCounts,
  positions,
  type RollupCounts,
  type RollupSeries,
  rollupSeries,
  rollupSeriesNames,
} from "@postern/shared/domain/rollups";
import type { Clock } from "@postern/shared/platform/time";
import type { CachedFacts } from "../result-cache/result-caches.ts";
import { BatchWriter, type SendBatch } from "./batch-writer.ts";

const { minutes } = rollupSeries;
/** Redis does nothing else while a script runs. */
const periodsAtATime = 32;

/** The counts of one period that Redis does not have yet. */
export interface RollupPeriod {
  readonly series: RollupSeries;
  /** Number of the period since the epoch. */
  readonly number: number;
  readonly counts: RollupCounts;
}

/** Everything else that denies a sign-in is a rule of the site. */
const denialOf = (reason: string): ChartOutcome =>
  reason === "wrong_password" || reason === "unknown_user" ? reason : "denied";

/**
 * Counts sign-ins in memory until they are written. What waits is as bounded as what Redis keeps: while Redis is away, a period is dropped
 * when it would have expired there.
 */
export class RollupCounter {
  protected readonly clock: Clock;
  #minute = 0;
  #now = newCounts();
  #isEmpty = true;
  readonly #waiting: Readonly<Record<RollupSeries, Map<number, RollupCounts>>> = {
    minutes: new Map(),
    tens: new Map(),
    hours: new Map(),
  };

  constructor(clock: Clock) {
    this.clock = clock;
  }

  decided(decision: AuthDecision, { cache }: CachedFacts, protocol: string, tookMs: number): void {
    const { outcome } = decision;
    const counts = this.#countsAt(this.clock.now());
    let group = 0;
    while (tookMs > (latencyBounds[group] ?? Number.POSITIVE_INFINITY)) group += 1;
    raise(counts, positions.latency + group);
    if (outcome === "ok") countEnding(counts, cache?.servedFrom === undefined ? "ok" : "cached", protocol);
    else countEnding(counts, outcome === "fail" ? denialOf(decision.reason) : outcome, protocol);
    if (outcome !== "ok" && outcome !== "fail") return;
    if (decision.risk !== undefined && decision.risk.level !== "ordinary") raise(counts, positions.suspicious);
  }

  /** A sign-in that a mail server reported, so that nothing is known of its time. */
  reported({ outcome, reason, protocol, timeMs }: DecisionNote): void {
    const counts = this.#countsAt(timeMs);
    if (outcome === "undecided") countEnding(counts, "tempfail", protocol);
    else countEnding(counts, outcome === "denied" ? denialOf(reason) : outcome, protocol);
  }

  banned(): void {
    raise(this.#countsAt(this.clock.now()), positions.newBans);
  }

  /** Periods for one batch; empty if Redis has everything. */
  take(): readonly RollupPeriod[] {
    this.#settle();
    const taken: RollupPeriod[] = [];
    for (const series of rollupSeriesNames) {
      for (const [number, counts] of this.#waiting[series]) {
        if (taken.length === periodsAtATime) return taken;
        taken.push({ series, number, counts });
        this.#waiting[series].delete(number);
      }
    }
    return taken;
  }

  #countsAt(nowMs: number): RollupCounts {
    const minute = Math.floor(nowMs / minutes.stepMs);
    if (minute !== this.#minute) {
      this.#settle();
      this.#minute = minute;
    }
    this.#isEmpty = false;
    return this.#now;
  }

  /** Adds the counts of the current minute to what waits. */
  #settle(): void {
    if (this.#isEmpty) return;
    for (const series of rollupSeriesNames) {
      const { stepMs, kept } = rollupSeries[series];
      const waiting = this.#waiting[series];
      const number = Math.floor((this.#minute * minutes.stepMs) / stepMs);
      const known = waiting.get(number) ?? newCounts();
      addCounts(known, this.#now);
      waiting.set(number, known);
      const [oldest] = waiting.keys();
      if (waiting.size > kept && oldest !== undefined) waiting.delete(oldest);
    }
    this.#now.fill(0);
    this.#isEmpty = true;
  }
}

function countEnding(counts: RollupCounts, outcome: ChartOutcome, protocol: string): void {
  raise(counts, positions.outcomes[outcome]);
  if (outcome === "tempfail") return;
  const ofProtocol = positions.protocols.get(protocol) ?? positions.otherProtocol;
  raise(counts, outcome === "ok" || outcome === "cached" ? ofProtocol : ofProtocol + 1);
}

function raise(counts: RollupCounts, position: number): void {
  counts[position] = (counts[position] ?? 0) + 1;
}

interface RollupStore {
  readonly add: SendBatch<RollupPeriod>;
  /** Sets the number of bans in force in the periods of this time. */
  readonly setBans: (bans: number, nowMs: number) => Promise<void>;
}

/** Less than a minute, so that every minute has a number although a flush may be late. */
const bansMs = 45_000;

/** Counts sign-ins over time, and adds them to those of the other engines every ten seconds. */
export class Rollups extends RollupCounter {
  readonly #store: RollupStore;
  readonly #countBans: (() => Promise<number>) | undefined;
  readonly #writer: BatchWriter<RollupPeriod>;
  #bansAtMs = Number.NEGATIVE_INFINITY;

  /** @param countBans number of bans in force; undefined without brute-force protection. */
  constructor(store: RollupStore, countBans: (() => Promise<number>) | undefined, clock: Clock) {
    super(clock);
    this.#store = store;
    this.#countBans = countBans;
    this.#writer = new BatchWriter({ take: () => this.take(), send: store.add, finish: () => this.#writeBans() });
  }

  /** Writes what waits. False if Redis does not answer. Never rejects. */
  flush(): Promise<boolean> {
    return this.#writer.flush();
  }

  /** Writes the rest, also if Redis answers only after a moment. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  async #writeBans(): Promise<void> {
    const nowMs = this.clock.now();
    if (this.#countBans === undefined || nowMs - this.#bansAtMs < bansMs) return;
    this.#bansAtMs = nowMs;
    await this.#store.setBans(await this.#countBans(), nowMs);
  }
}
