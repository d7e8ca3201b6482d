import { type RiskSettings, riskSettings, riskSignals } from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import type { AttackKind } from "./attacks.ts";
import { validation } from "./parameters.ts";
import { gigabytesForAMillion, report } from "./report.ts";
import { type Outcome, simulate } from "./simulate.ts";

function defaults(): RiskSettings {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  return { ...riskSettings(loaded.config.auth.risk), mode: "enforce" };
}

const run = { seed: 101, accounts: 3000, parameters: validation, settings: defaults(), comparesPasswords: false };
const small = { ...run, accounts: 150, parameters: { ...validation, attacked: 0.3 } };

/** Attacks from other countries. Nothing but the network distinguishes the others from the user; their figures are printed. */
const abroad: readonly AttackKind[] = [
  "spray",
  "distributed guessing",
  "phished, botnet",
  "phished, one network abroad",
  "slow drip, abroad",
];

function noticedAbroad({ counts }: Outcome): number {
  const kinds = abroad.map((kind) => counts.attacks[kind]);
  const attacks = kinds.reduce((sum, one) => sum + one.attacks, 0);
  return kinds.reduce((sum, one) => sum + one.noticed, 0) / attacks;
}

test("stolen passwords used from abroad are noticed, for little memory and few refusals", {
  timeout: 1_800_000,
}, () => {
  const outcome = simulate(run);
  process.stdout.write(`${report(outcome)}\n`);
  const { honest } = outcome.counts;
  expect(noticedAbroad(outcome)).toBeGreaterThan(0.95);
  expect((honest.refused - honest.held) / honest.signIns).toBeLessThan(1 / 10_000);
  expect(gigabytesForAMillion(outcome)).toBeLessThan(1.5);
});

test("a run can be repeated", () => {
  expect(simulate(small)).toEqual(simulate(small));
});

test("without weights, no attack is noticed and no user is refused", () => {
  const weights = { ...run.settings.weights };
  for (const signal of riskSignals) weights[signal] = 0;
  const { counts } = simulate({ ...small, settings: { ...run.settings, weights } });
  expect(Object.values(counts.attacks).reduce((sum, { noticed }) => sum + noticed, 0)).toBe(0);
  expect([counts.honest.suspicious, counts.honest.refused, counts.beside.refused]).toEqual([0, 0, 0]);
});
