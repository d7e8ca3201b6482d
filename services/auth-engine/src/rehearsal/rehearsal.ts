import type { AuthDecision, RehearsalReport } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { bruteForceSettings } from "../brute-force/brute-force-settings.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { PolicyFacts } from "../policy/fact-readers.ts";
import { Comparison } from "./comparison.ts";
import { unjudgedControls } from "./differing-sections.ts";
import type { LookUps } from "./look-ups.ts";
import { newCounts, notJudged } from "./not-judged.ts";
import type { RecordSource } from "./record-source.ts";
import { createRecordedPolicies } from "./recorded-policies.ts";
import { Recordings } from "./recordings.ts";
import { type Recorded, ReplayedRules, ruleText } from "./replayed-rules.ts";
import type { SignIn } from "./sign-in.ts";
import { SignIns } from "./signed-in.ts";
import type { UsualSuccess } from "./usual-success.ts";
import { unknownAnswer, type Verdict, verdictOf } from "./verdict.ts";

type Quiet = NonNullable<ReplayedRules["quiet"]>;

/** Facts that depend on the configuration, at the beginning of their names in a policy. */
const ownFacts = ["brute_force.", "tls.", "relay_domain.", "control."].map((fact) => `"auth.${fact}`);
/** Those that depend on how a configuration reads names. */
const factsOfNames = ['"auth.master_user.', '"auth.domain.', '"request.username"'];

/** What decides how names are read. */
const readingText = ({ auth }: Config): string => JSON.stringify([auth.domains, auth.pipeline.master_user]);

/** Lines of several processes of one host may be out of order by less. */
const lateMs = 60_000;

function longestPeriodMs(...configs: readonly Config[]): number {
  const rules = configs.flatMap(({ auth }) => auth.controls.brute_force.buckets);
  return Math.max(0, ...rules.map(({ period }) => period));
}

/** Decides recorded sign-ins by two configurations, those of a log in the order of their times. */
export class Rehearsal {
  readonly comparison = new Comparison();
  readonly source: RecordSource;
  /** Lines that end as a decision and cannot be read, and lines that are too long. */
  unreadable = 0;
  readonly counts = newCounts();
  readonly #configs: readonly [before: Config, after: Config];
  readonly #before: ReplayedRules;
  /** The same object if the configurations differ in nothing that it applies. */
  readonly #after: ReplayedRules;
  readonly #policies: readonly [before: RecordedPolicies, after: RecordedPolicies];
  readonly #recordings: Recordings;
  readonly #isSamePolicy: boolean;
  readonly #warmUpMs: number;
  readonly #lookUps: LookUps | undefined;
  /** Undefined if the configurations count accounts that signed in over different times. */
  readonly #common: SignIns | undefined;
  #nowMs = 0;

  /** @param lookUps gets the accounts whose sign-ins both admit; undefined if they are not looked up */
  constructor(before: Config, after: Config, source: RecordSource, lookUps?: LookUps) {
    const clock = { now: (): number => this.#nowMs };
    this.source = source;
    this.#lookUps = lookUps;
    this.#configs = [before, after];
    const [old, next] = [source.judged(before), source.judged(after)];
    const [oldMs, nextMs] = [old, next].map(({ auth }) => bruteForceSettings(auth.controls.brute_force).tolerateMs);
    const signIns = new SignIns(clock, oldMs ?? 0);
    this.#common = oldMs === nextMs ? signIns : undefined;
    this.#before = new ReplayedRules(old, { clock, signIns });
    const others = this.#common ?? new SignIns(clock, nextMs ?? 0);
    this.#after = ruleText(old) === ruleText(next) ? this.#before : new ReplayedRules(next, { clock, signIns: others });
    this.#policies = [createRecordedPolicies(before, source), createRecordedPolicies(after, source)];
    this.#recordings = new Recordings(this.#before, before.auth.controls.brute_force.account_delay.window);
    const [policy, other] = [before, after].map(({ auth }) => JSON.stringify(auth.policy));
    // A policy about what the configurations determine may decide differently although it is the same.
    const differing = readingText(before) === readingText(after) ? ownFacts : [...ownFacts, ...factsOfNames];
    this.#isSamePolicy = policy === other && !differing.some((fact) => policy?.includes(fact) === true);
    this.#warmUpMs = longestPeriodMs(before, after);
  }

  /** Adds a success about which nothing in the two configurations can differ; false if it has to be replayed step by step. */
  addIfQuiet(success: UsualSuccess): boolean {
    const [before, after] = [this.#before.quiet, this.#after.quiet];
    if (before === undefined || after === undefined || !this.#isSamePolicy) return false;
    const { timeMs } = success;
    const nowMs = this.#nowMs;
    this.#nowMs = Math.max(nowMs, timeMs);
    if (!before.isQuiet(success) || (after !== before && !after.isQuiet(success))) return false;
    this.#noteQuiet(success, before, after);
    if (timeMs < nowMs - lateMs) this.counts.late += 1;
    this.counts.answered += 1;
    this.comparison.addEqual(timeMs);
    this.#lookUps?.noteUsual(success);
    this.#noteWarmUp(timeMs);
    return true;
  }

  #noteQuiet(success: UsualSuccess, before: Quiet, after: Quiet): void {
    if (after !== before && this.#common !== undefined && isSameList(before.networks, after.networks)) {
      this.#common.add(before.networks, success.account);
      return;
    }
    before.note(success);
    if (after !== before) after.note(success);
  }

  async add(signIn: SignIn): Promise<void> {
    if (signIn.operation === "lookup") {
      this.counts.lookups += 1;
      return;
    }
    const { count } = signIn;
    if (signIn.timeMs < this.#nowMs - lateMs) this.counts.late += 1;
    this.#nowMs = Math.max(this.#nowMs, signIn.timeMs);
    const recorded = this.#recordings.of(signIn);
    if (recorded.answer === undefined) this.counts.withoutAnswer += count;
    else if (!recorded.isFirst) this.counts.answered += count;
    const [factsBefore, factsAfter]: [PolicyFacts, PolicyFacts] = [{}, {}];
    const before = await this.#before.decide(recorded, factsBefore);
    const after = await this.#decideAfter(recorded, before, { factsBefore, factsAfter });
    this.#compareWithLog(signIn, before?.outcome === "blocked");
    if (this.#isSamePolicy && isSame(before && verdictOf(before), after && verdictOf(after))) {
      // The policies decide the same about the same.
      const any = (before && verdictOf(before)) ?? unchanged;
      this.#note(signIn, recorded.attempt, any, any);
    } else {
      const verdicts = [
        judged(this.#policies[0], this.#before.read(recorded.attempt), before, factsBefore),
        judged(this.#policies[1], this.#after.read(recorded.attempt), after, factsAfter),
      ] as const;
      this.#judge(signIn, recorded.attempt, ...verdicts);
    }
  }

  /** With the same rules, the decision and its facts are those of before. */
  async #decideAfter(
    recorded: Recorded,
    before: AuthDecision | undefined,
    { factsBefore, factsAfter }: { readonly factsBefore: PolicyFacts; readonly factsAfter: PolicyFacts },
  ): Promise<AuthDecision | undefined> {
    if (this.#after !== this.#before) return this.#after.decide(recorded, factsAfter);
    Object.assign(factsAfter, factsBefore);
    return before;
  }

  #judge(
    signIn: SignIn,
    attempt: Attempt,
    ...[before, after]: readonly [before: Verdict | string, after: Verdict | string]
  ): void {
    const missing = [before, after].find((one) => typeof one === "string");
    if (typeof missing === "string") {
      this.counts.missingFacts.set(missing, (this.counts.missingFacts.get(missing) ?? 0) + signIn.count);
      this.#note(signIn, attempt, unchanged, unchanged);
    } else if (typeof before !== "string" && typeof after !== "string") this.#note(signIn, attempt, before, after);
  }

  #note(signIn: SignIn, attempt: Attempt, ...[before, after]: readonly [before: Verdict, after: Verdict]): void {
    this.comparison.add(signIn, before, after);
    if (before.kind === "admitted" && after.kind === "admitted") this.#noteAccount(signIn, attempt);
    this.#noteWarmUp(signIn.timeMs);
  }

  /** Of a master user's sign-in, the account that was opened. */
  #noteAccount(signIn: SignIn, attempt: Attempt): void {
    if (this.#lookUps === undefined) return;
    const opened = this.#after.read(attempt).masterLogin?.user;
    this.#lookUps.note(opened === undefined ? signIn : { ...signIn, username: opened });
  }

  #noteWarmUp(timeMs: number): void {
    if (timeMs - this.comparison.firstMs < this.#warmUpMs) this.counts.warmUp += 1;
  }

  /** How well the current rules explain what was recorded: a measure of the replay itself. */
  #compareWithLog({ outcome, count }: SignIn, isBanned: boolean): void {
    if (outcome === "blocked") this.counts.bans.recorded += count;
    if (outcome === "blocked" && isBanned) this.counts.bans.explained += count;
    if (outcome !== "blocked" && isBanned) this.counts.bans.unrecorded += count;
  }

  #notJudged(): RehearsalReport["not_judged"] {
    return notJudged({
      source: this.source,
      configs: this.#configs,
      ...this.counts,
      uncertain: Math.max(this.#before.uncertain, this.#after.uncertain),
      withoutPast: this.#recordings.withoutPast,
      unlooked: this.#lookUps?.undecided ?? 0,
      isIncomplete: [this.#before, this.#after].some(({ isIncomplete }) => isIncomplete),
    });
  }

  /** Whether rules differ that cannot be replayed from this source at all. */
  get isUnjudged(): boolean {
    return unjudgedControls(...this.#configs, this.source).length > 0;
  }

  /** The share of the sign-ins whose accounts could not be looked up; 1 without look-ups. */
  get unlookedShare(): number {
    return this.#lookUps === undefined ? 1 : this.#lookUps.undecided / Math.max(1, this.comparison.signIns);
  }

  /** The share of the sign-ins about which nothing is known, at most 1. */
  get unknownShare(): number {
    const { signIns } = this.comparison;
    if (this.isUnjudged) return 1;
    const missing = [...this.counts.missingFacts.values()].reduce((sum, count) => sum + count, 0);
    const all = signIns + this.unreadable;
    const unknown = missing + this.unreadable + (this.#lookUps?.undecided ?? 0);
    return all === 0 ? 0 : Math.min(1, unknown / all);
  }

  report(isComplete: boolean): RehearsalReport {
    const { comparison } = this;
    const { signIns, firstMs, lastMs, forUsers } = comparison;
    const rules = new Set([...this.#before.bans.keys(), ...this.#after.bans.keys()]);
    return {
      complete: isComplete,
      source: this.source.name,
      sign_ins: signIns,
      from: signIns === 0 ? null : new Date(firstMs).toISOString(),
      until: signIns === 0 ? null : new Date(lastMs).toISOString(),
      ...comparison.totals(),
      /** What `--fail-over` compares. */
      share: signIns === 0 ? 0 : forUsers / signIns,
      bans: [...rules].map((rule) => ({
        rule,
        before: this.#before.bans.get(rule) ?? 0,
        after: this.#after.bans.get(rule) ?? 0,
      })),
      groups: comparison.groupReports(),
      /** Whether further kinds of differences are counted in the totals only. */
      has_more_groups: comparison.hasMore,
      timeline: comparison.timeline(),
      not_judged: this.#notJudged(),
      unreadable: this.unreadable,
    };
  }
}

type RecordedPolicies = ReturnType<typeof createRecordedPolicies>;

/** The verdict after the policies; a text instead if they depend on something that the log does not say. */
function judged(
  policies: RecordedPolicies,
  attempt: Recorded["attempt"],
  decision: AuthDecision | undefined,
  facts: PolicyFacts,
): Verdict | string {
  return decision === undefined ? unknownAnswer : policies(attempt, decision, facts);
}

const isSameList = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

const unchanged: Verdict = { kind: "unknown", why: "" };

function isSame(one: Verdict | undefined, other: Verdict | undefined): boolean {
  return one?.kind === other?.kind && one?.why === other?.why;
}
