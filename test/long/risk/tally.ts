import { type RiskSignal, riskSignals } from "@postern/shared/domain/risk";
import type { Attack, AttackKind } from "./attacks.ts";
import { attackKinds } from "./attacks.ts";
import type { Scored } from "./engine.ts";
import { type Situation, situations } from "./whereabouts.ts";

/** Honest sign-ins. */
export interface HonestCounts {
  signIns: number;
  suspicious: number;
  dangerous: number;
  /** Refused, of accounts that were not attacked. */
  refused: number;
  /** Those of them that only a hold refused, which an earlier sign-in began. */
  held: number;
}

export interface AttackCounts {
  attacks: number;
  /** Noticed before the tenth SMTP sign-in. */
  noticed: number;
  /** Dangerous before the tenth SMTP sign-in. */
  dangerous: number;
  /** Submission was refused before the tenth SMTP sign-in. */
  stopped: number;
  /** Accepted SMTP sign-ins before the first that was refused, at most ten each. */
  accepted: number;
}

export interface Tally {
  readonly honest: (scored: Scored, about: { account: string; situation: Situation; times: number }) => void;
  /** Honest sign-ins of an account whose password was stolen. */
  readonly besideAttack: (scored: Scored, times: number) => void;
  readonly attacker: (attack: Attack, scored: Scored) => void;
  readonly counts: () => Counts;
}

export interface Counts {
  readonly honest: HonestCounts;
  readonly bySituation: Readonly<Record<Situation, HonestCounts>>;
  /** Honest sign-ins that raised the signal. */
  readonly honestSignals: Readonly<Record<RiskSignal, number>>;
  /** Accounts with at least one suspicious honest sign-in, and with at least one refused one. */
  readonly suspectedAccounts: number;
  readonly refusedAccounts: number;
  readonly beside: HonestCounts;
  readonly attacks: Readonly<Record<AttackKind, AttackCounts>>;
  /** Attacks of the kind in which the signal was raised before the tenth SMTP sign-in. */
  readonly attackSignals: Readonly<Record<AttackKind, Readonly<Record<RiskSignal, number>>>>;
}

interface Course {
  submitted: number;
  accepted: number;
  isNoticed: boolean;
  isDangerous: boolean;
  isStopped: boolean;
  readonly signals: Set<RiskSignal>;
}

const counted = 10;

function hasAll<Name extends string, Value>(
  record: Partial<Record<Name, Value>>,
  names: readonly Name[],
): record is Record<Name, Value> {
  return names.every((name) => record[name] !== undefined);
}

function recordOf<Name extends string, Value>(names: readonly Name[], make: () => Value): Record<Name, Value> {
  const record: Partial<Record<Name, Value>> = {};
  for (const name of names) record[name] = make();
  if (!hasAll(record, names)) throw new Error("incomplete");
  return record;
}

const noSignIns = (): HonestCounts => ({ signIns: 0, suspicious: 0, dangerous: 0, refused: 0, held: 0 });

const noAttacks = (): AttackCounts => ({ attacks: 0, noticed: 0, dangerous: 0, stopped: 0, accepted: 0 });

function count(into: HonestCounts, { found, refusal, isHeld }: Scored, times: number): void {
  into.signIns += times;
  if (found.level === "suspicious") into.suspicious += times;
  if (found.level === "dangerous") into.dangerous += times;
  if (refusal !== undefined) into.refused += times;
  if (isHeld) into.held += times;
}

function follow(course: Course, { signIn, found, refusal }: Scored): void {
  const isSubmission = signIn.protocol === "smtp";
  if (isSubmission) course.submitted += 1;
  if (course.submitted >= counted) return;
  for (const { signal } of found.signals) course.signals.add(signal);
  if (found.level !== "ordinary") course.isNoticed = true;
  if (found.level === "dangerous") course.isDangerous = true;
  if (!isSubmission) return;
  if (refusal !== undefined) course.isStopped = true;
  else if (!course.isStopped) course.accepted += 1;
}

function sumOf(courses: ReadonlyMap<Attack, Course>): Pick<Counts, "attacks" | "attackSignals"> {
  const attacks = recordOf(attackKinds, noAttacks);
  const attackSignals = recordOf(attackKinds, () => recordOf(riskSignals, () => 0));
  for (const [{ kind }, course] of courses) {
    const sum = attacks[kind];
    sum.attacks += 1;
    if (course.isNoticed) sum.noticed += 1;
    if (course.isDangerous) sum.dangerous += 1;
    if (course.isStopped) sum.stopped += 1;
    sum.accepted += course.accepted;
    for (const signal of course.signals) attackSignals[kind][signal] += 1;
  }
  return { attacks, attackSignals };
}

export function createTally(): Tally {
  const honest = noSignIns();
  const beside = noSignIns();
  const bySituation = recordOf(situations, noSignIns);
  const honestSignals = recordOf(riskSignals, () => 0);
  const suspected = new Set<string>();
  const refused = new Set<string>();
  const courses = new Map<Attack, Course>();
  return {
    honest: (scored, { account, situation, times }) => {
      count(honest, scored, times);
      count(bySituation[situation], scored, times);
      for (const { signal } of scored.found.signals) honestSignals[signal] += times;
      if (scored.found.level !== "ordinary") suspected.add(account);
      if (scored.refusal !== undefined) refused.add(account);
    },
    besideAttack: (scored, times) => count(beside, scored, times),
    attacker: (attack, scored) => {
      const none = { submitted: 0, accepted: 0, isNoticed: false, isDangerous: false, isStopped: false };
      const course = courses.get(attack) ?? { ...none, signals: new Set<RiskSignal>() };
      courses.set(attack, course);
      follow(course, scored);
    },
    counts: () => ({
      honest,
      beside,
      bySituation,
      honestSignals,
      suspectedAccounts: suspected.size,
      refusedAccounts: refused.size,
      ...sumOf(courses),
    }),
  };
}
