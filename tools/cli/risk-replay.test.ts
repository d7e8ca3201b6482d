import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { runRiskCommand } from "./risk-replay.ts";

const stolen = "new_source new_country impossible_travel";

function decided(minute: number, given: object): string {
  const time = new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();
  const session = "7d3f91ac-20b4-4c1e-9a39-0c7d1c1b8f5e";
  const usual = { msg: "decided", outcome: "ok", username: "alice", protocol: "imap", client_ip: "198.51.100.7" };
  return JSON.stringify({ level: "info", time, session, ...usual, ...given });
}

async function replay(lines: readonly string[], risk: object, ...flags: readonly string[]) {
  await using folder = await scratchFolder();
  const [log, config] = [join(folder.path, "gateway.log"), join(folder.path, "config.yaml")];
  writeFileSync(log, `${lines.join("\n")}\n`);
  writeFileSync(config, JSON.stringify({ auth: { risk } }));
  return await runRiskCommand(["replay", log, "--config", config, ...flags]);
}

async function reported(lines: readonly string[], risk: object) {
  const { exitCode, output, errors } = await replay(lines, risk, "--json");
  expect(errors).toEqual([]);
  return { exitCode, ...JSON.parse(output.join("\n")) };
}

const low = { dangerous: { score: 80, responses: ["notify", "hold_submission"] } };

test("a rule set is evaluated with its own weights and scores, and a hold lasts until it ends", async () => {
  const lines = [
    decided(0, { client_ip: "192.0.2.7" }),
    decided(1, { risk_score: 90, risk_signals: stolen }),
    decided(2, { risk_score: 15, risk_signals: "new_source", protocol: "smtp", username: "Alice" }),
    decided(3, { risk_score: 15, risk_signals: "new_source", protocol: "smtp", username: "bob" }),
    decided(3 * 60, { risk_score: 15, risk_signals: "new_source", protocol: "smtp" }),
  ];
  const found = await reported(lines, { ...low, hold_for: "2h" });
  expect(found).toMatchObject({ exitCode: 1, decisions: 5, scored: 4, dangerous: 1, refused: 1, refused_before: 0 });
  expect(found.refused_sign_ins).toMatchObject([{ username: "Alice", refusal: "hold_submission" }]);
  expect(found.signals).toContainEqual(expect.objectContaining({ signal: "new_source", sign_ins: 4, accounts: 2 }));
  expect(found.responses).toContainEqual({ response: "notify", sign_ins: 1, accounts: 1 });
  expect(found.responses).toContainEqual({ response: "hold_submission", sign_ins: 1, accounts: 1 });
  const lighter = { ...low, weights: { new_country: 0, impossible_travel: 0 } };
  expect(await reported(lines, lighter)).toMatchObject({ exitCode: 0, suspicious: 0, dangerous: 0, refused: 0 });
});

test("signals that an outsider can cause refuse nothing, and what was refused before is counted", async () => {
  const strict = { suspicious: { score: 10, responses: ["deny"] }, dangerous: { score: 20, responses: ["deny"] } };
  const outside = decided(0, { risk_signals: "guessed_account spraying_source" });
  expect(await reported([outside], strict)).toMatchObject({ exitCode: 0, dangerous: 1, refused: 0 });
  const before = decided(1, { outcome: "fail", reason: "risk", risk_signals: stolen });
  expect(await reported([outside, before], strict)).toMatchObject({ exitCode: 1, refused: 1, refused_before: 1 });
});

test("the tables name each signal and response, show as many sign-ins as asked, and no control characters", async () => {
  const one = decided(1, { risk_signals: stolen, username: "al\u001bice", protocol: "smtp" });
  const { exitCode, output } = await replay([one, one], low, "--limit", "1");
  expect(exitCode).toBe(1);
  expect(output.filter((line) => line.includes("al?ice"))).toHaveLength(1);
  expect(output).toContain("2 would be refused; 0 were refused when the log was written");
  expect(output.at(-1)).toBe("there are more: use a larger --limit");
  expect(output.join("\n")).toMatch(/^new_country +\d+ +2 +1$/mu);
});

test("other lines are skipped, and a file without decisions is reported", async () => {
  const rest = ["", "no JSON", '{"msg":"decided","time":', '{"msg":"listed"}', '{"msg":"decided","time":"never"}'];
  expect(await replay(rest, {})).toMatchObject({ exitCode: 1, errors: ["the file contains no decision of a gateway"] });
  expect(await reported([...rest, decided(0, {})], {})).toMatchObject({ exitCode: 0, decisions: 1, scored: 0 });
  const absent = await runRiskCommand(["replay", "/nonexistent/log"]);
  expect(absent).toMatchObject({ exitCode: 1, errors: [expect.stringContaining("the log cannot be read")] });
});

test.each([[[]], [["replay"]], [["replay", "a", "b"]], [["play", "a"]], [["replay", "a", "--limit", "x"]], [["--no"]]])(
  "a wrong command line is not run: %j",
  async (args) => {
    expect(await runRiskCommand(args)).toMatchObject({ exitCode: 2, output: [] });
  },
);
