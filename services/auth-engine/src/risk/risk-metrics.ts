import {
  type RiskLevel,
  type RiskMode,
  type RiskSignal,
  type RiskVerdict,
  riskLevels,
  riskSignals,
} from "@postern/shared/domain/risk";
import { riskModes } from "@postern/shared/platform/config";
import type { Metrics } from "@postern/shared/platform/metrics";

/** `delayed`: the first attempt has failed. `dropped`: the account was flushed before the notification was stored. */
const noticeResults = ["sent", "delayed", "lost", "dropped"] as const;
type NoticeResult = (typeof noticeResults)[number];

/** One function for each fact that is counted. */
export function createRiskMetrics(registry: Metrics, prefix: string) {
  const scores = registry.counter({
    name: `${prefix}_risk_sign_ins_total`,
    help: "Sign-ins with a correct password that were scored, by level",
    labels: { mode: riskModes, level: riskLevels },
  });
  const signals = registry.counter({
    name: `${prefix}_risk_signals_total`,
    help: "Signals of suspicious and dangerous sign-ins, each network of an account once in half an hour",
    labels: { signal: riskSignals },
  });
  const refusals = registry.counter({
    name: `${prefix}_risk_refusals_total`,
    help: "Sign-ins with a correct password that were refused; with mode observe they would have been",
    labels: { mode: riskModes, response: ["deny", "second_factor", "hold_mail", "hold_submission"] },
  });
  const losses = registry.counter({
    name: `${prefix}_risk_facts_lost_total`,
    help: "Sign-ins and wrong passwords that were not remembered, because Redis was unavailable or too many waited",
    labels: {},
  })({});
  const notices = registry.counter({
    name: `${prefix}_risk_notices_total`,
    help: "Notifications of suspicious sign-ins: stored by an identity provider, delayed because an attempt failed, lost, or dropped with the facts about the account",
    labels: { result: noticeResults },
  });
  return {
    scored: (mode: RiskMode, level: RiskLevel): void => scores({ mode, level }).inc(),
    raised: (signal: RiskSignal): void => signals({ signal }).inc(),
    refused: (mode: RiskMode, response: NonNullable<RiskVerdict["refusal"]>): void =>
      refusals({ mode, response }).inc(),
    lost: (count: number): void => losses.inc(count),
    notified: (result: NoticeResult): void => notices({ result }).inc(),
  };
}

export type RiskMetrics = ReturnType<typeof createRiskMetrics>;
