import { foldedName } from "@postern/shared/domain/brute-force";
import {
  type AccountFacts,
  type AssessedSignIn,
  type Assessment,
  holdOf,
  levelsOf,
  type RiskResponse,
  type RiskSettings,
  type RiskSignal,
  riskSignals,
  unknownPlace,
  verdictOf,
} from "@postern/shared/domain/risk";
import { riskResponses } from "@postern/shared/platform/config";
import type { LoggedDecision } from "./read-decision.ts";

export interface RefusedSignIn {
  readonly time: string;
  readonly username: string;
  readonly client_ip: string;
  readonly protocol: string;
  readonly session: string;
  readonly score: number;
  readonly refusal: string;
  readonly signals: readonly RiskSignal[];
}

interface Count {
  readonly sign_ins: number;
  readonly accounts: number;
}

export interface ReplayReport {
  readonly decisions: number;
  /** Decisions that could not be read, and lines that are too long. */
  readonly unreadable: number;
  /** In the log, but no signals of this version: they have no weight. */
  readonly unknown_signals: readonly string[];
  /** Sign-ins with a signal, or refused by a hold. */
  readonly scored: number;
  readonly suspicious: number;
  readonly dangerous: number;
  readonly refused: number;
  /** Refused when the log was written. */
  readonly refused_before: number;
  readonly signals: readonly (Count & { readonly signal: RiskSignal; readonly weight: number })[];
  readonly responses: readonly (Count & { readonly response: RiskResponse })[];
  /** The first ones, in the order of the log. */
  readonly refused_sign_ins: readonly RefusedSignIn[];
}

export interface Replay {
  readonly add: (decision: LoggedDecision) => void;
  readonly skip: () => void;
  readonly report: () => ReplayReport;
}

function createCounter<Name extends string>() {
  const counts = new Map<Name, { signIns: number; readonly accounts: Set<string> }>();
  return {
    add: (name: Name, account: string): void => {
      const count = counts.get(name) ?? { signIns: 0, accounts: new Set() };
      count.signIns += 1;
      count.accounts.add(account);
      counts.set(name, count);
    },
    of: (name: Name): Count => {
      const count = counts.get(name);
      return { sign_ins: count?.signIns ?? 0, accounts: count?.accounts.size ?? 0 };
    },
  };
}

function assessmentOf({ signals: names }: LoggedDecision, settings: RiskSettings): Assessment {
  const signals = names.flatMap((signal) => {
    const weight = settings.weights[signal];
    return weight === 0 ? [] : [{ signal, weight, reason: "" }];
  });
  const score = signals.reduce((sum, { weight }) => sum + weight, 0);
  // Signals are raised for unknown networks, except that of a leaked password. Then the log does not tell.
  return { score, ...levelsOf(signals, settings), signals, isKnown: false, isStrange: false };
}

function signInOf({ minute, line: { protocol } }: LoggedDecision): AssessedSignIn {
  return { minute, protocol, network: "", place: unknownPlace, client: "", device: "", credential: "password" };
}

function factsWith(minute: number, hold: AccountFacts["hold"]): AccountFacts {
  const none = { countries: [], systems: [], protocols: [], clients: [], devices: [], networks: [] };
  return { sinceMinute: minute, last: undefined, guessing: undefined, hold, ...none };
}

const mostUnknown = 20;

/** Evaluates logged decisions in their order, as engines with `enforce` and these settings would. */
export function createReplay(settings: RiskSettings, mostShown: number): Replay {
  const totals = { decisions: 0, unreadable: 0, scored: 0, suspicious: 0, dangerous: 0, refused: 0, refused_before: 0 };
  const bySignal = createCounter<RiskSignal>();
  const byResponse = createCounter<RiskResponse>();
  const holds = new Map<string, NonNullable<AccountFacts["hold"]>>();
  const shown: RefusedSignIn[] = [];
  const unknown = new Set<string>();

  const judge = (decision: LoggedDecision, account: string) => {
    const { minute } = decision;
    const found = assessmentOf(decision, settings);
    const before = holds.get(account);
    const current = before !== undefined && before.untilMinute > minute ? before : undefined;
    const verdict = verdictOf(factsWith(minute, current), signInOf(decision), found, settings);
    const begun = current ?? holdOf(verdict, found, { minute, settings });
    if (begun === undefined) holds.delete(account);
    else holds.set(account, begun);
    return { found, verdict };
  };
  const refuse = ({ line, signals }: LoggedDecision, score: number, refusal: RiskResponse): void => {
    totals.refused += 1;
    if (shown.length >= mostShown) return;
    const { time, username, client_ip = "", protocol, session } = line;
    shown.push({ time, username, client_ip, protocol, session, score, refusal, signals });
  };
  return {
    add: (decision) => {
      totals.decisions += 1;
      if (decision.wasRefused) totals.refused_before += 1;
      for (const name of decision.unknownSignals) if (unknown.size < mostUnknown) unknown.add(name);
      if (decision.signals.length === 0 && !decision.wasRefused) return;
      totals.scored += 1;
      const account = foldedName(decision.line.username);
      const { found, verdict } = judge(decision, account);
      if (found.level !== "ordinary") totals[found.level] += 1;
      for (const { signal } of found.signals) bySignal.add(signal, account);
      for (const response of ["notify", "delay"] as const)
        if (verdict.responses.has(response)) byResponse.add(response, account);
      if (verdict.refusal === undefined) return;
      byResponse.add(verdict.refusal, account);
      refuse(decision, found.score, verdict.refusal);
    },
    skip: () => {
      totals.unreadable += 1;
    },
    report: () => ({
      ...totals,
      unknown_signals: [...unknown],
      signals: riskSignals.map((signal) => ({ signal, weight: settings.weights[signal], ...bySignal.of(signal) })),
      responses: riskResponses.map((response) => ({ response, ...byResponse.of(response) })),
      refused_sign_ins: shown,
    }),
  };
}
