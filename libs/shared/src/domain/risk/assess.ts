import type { AccountFacts } from "./account-facts.ts";
import { type Case, detectors } from "./detectors.ts";
import {
  type AssessedSignIn,
  isKnownNetwork,
  isNewSource,
  newAccountFacts,
  type SignIn,
  withoutOldFacts,
} from "./note.ts";
import type { RiskSettings } from "./risk-settings.ts";
import { causedFromOutside, type RaisedSignal, type RiskLevel } from "./signals.ts";
import type { SourceFacts } from "./source-facts.ts";

export interface Assessment {
  readonly score: number;
  readonly level: RiskLevel;
  /** The level without what others can cause: only this one refuses. */
  readonly ownLevel: RiskLevel;
  /** What made the score, in the order of `riskSignals`. */
  readonly signals: readonly RaisedSignal[];
  /** The network or the device is known to the account: nothing refuses the sign-in. */
  readonly isKnown: boolean;
  /** The account is learned, and neither the network nor its system was used for it. */
  readonly isStrange: boolean;
}

function knows(facts: AccountFacts, { network, device, minute }: SignIn, settings: RiskSettings): boolean {
  if (device !== "" && facts.devices.some(({ name }) => name === device)) return true;
  const seen = facts.networks.find(({ id }) => id === network);
  return seen !== undefined && isKnownNetwork(seen, minute, settings);
}

const scoreOf = (signals: readonly RaisedSignal[]): number => signals.reduce((sum, { weight }) => sum + weight, 0);

/** What others can cause may make a sign-in suspicious, but never dangerous: many users share the network of a VPN. */
export function levelsOf(
  signals: readonly RaisedSignal[],
  { scores }: Pick<RiskSettings, "scores">,
): Pick<Assessment, "level" | "ownLevel"> {
  const own = scoreOf(signals.filter(({ signal }) => !causedFromOutside.has(signal)));
  if (own >= scores.dangerous) return { level: "dangerous", ownLevel: "dangerous" };
  const isSuspicious = scoreOf(signals) >= scores.suspicious;
  return {
    level: isSuspicious ? "suspicious" : "ordinary",
    ownLevel: own >= scores.suspicious ? "suspicious" : "ordinary",
  };
}

/**
 * Scores a sign-in with a correct password. Without facts nothing is known of the account, and only the password itself
 * can raise a signal. Pure: the simulator and the replay of decisions use it too.
 */
export function assess(
  known: AccountFacts | undefined,
  source: SourceFacts | undefined,
  signIn: AssessedSignIn,
  settings: RiskSettings,
): Assessment {
  const { minute } = signIn;
  const facts = known === undefined ? newAccountFacts(minute) : withoutOldFacts(known, minute, settings);
  const isKnown = knows(facts, signIn, settings);
  const isLearned = known !== undefined && minute - facts.sinceMinute >= settings.learningMinutes;
  const one: Case = { facts, source, signIn, settings, isKnown, isLearned };
  const signals: RaisedSignal[] = [];
  for (const [signal, detect] of detectors) {
    const own = settings.weights[signal];
    const weight = signal === "listed_network" && own > 0 ? (signIn.listedWeight ?? own) : own;
    const reason = weight === 0 ? undefined : detect(one);
    if (reason !== undefined) {
      signals.push({ signal, weight, reason });
    }
  }
  const isStrange = !isKnown && isLearned && isNewSource(facts, signIn);
  return { score: scoreOf(signals), ...levelsOf(signals, settings), signals, isKnown, isStrange };
}
