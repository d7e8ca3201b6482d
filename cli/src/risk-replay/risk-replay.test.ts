import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { logLines, longestLine } from "./log-lines.ts";
import { runRiskCommand } from "./risk-replay.ts";

const terminal = { input: new PassThrough(), output: new PassThrough() };

const stolen = "new_source new_country impossible_travel";

function decided(minute: number, fields: object): string {
  const time = new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();
  const session = "7d3f91ac-20b4-4c1e-9a39-0c7d1c1b8f5e";
  const usual = { msg: "decided", outcome: "ok", username: "alice", protocol: "imap", client_ip: "198.51.100.7" };
  return JSON.stringify({ level: "info", time, session, ...usual, ...fields });
}

async function replay(lines: readonly string[], risk: object, ...flags: readonly string[]) {
  await using folder = await scratchFolder();
  const [log, config] = [join(folder.path, "gateway.log"), join(folder.path, "config.yaml")];
  writeFileSync(log, `${lines.join("\n")}\n`);
  writeFileSync(config, JSON.stringify({ auth: { risk } }));
  return await runRiskCommand(["replay", log, "--config", config, ...flags], { terminal });
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
  expect(await reported([outside], strict)).toMatchObject({ exitCode: 0, suspicious: 1, dangerous: 0, refused: 0 });
  // What others cause does not complete what a sign-in lacks by itself, neither in an engine nor here.
  const carried = decided(0, { risk_signals: "new_source guessed_account spraying_source" });
  const higher = { suspicious: { score: 20, responses: ["deny"] } };
  expect(await reported([carried], higher)).toMatchObject({ exitCode: 0, suspicious: 1, refused: 0 });
  expect(await reported([carried], strict)).toMatchObject({ exitCode: 1, suspicious: 1, refused: 1 });
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

test("other lines are skipped, decisions that cannot be read are counted, and a file without decisions is reported", async () => {
  const others = ["", "no JSON", '{"msg":"listed"}', '{"msg":"seen","text":"\\"decided\\""}'];
  const broken = ['{"msg":"decided","time":', '{"msg":"decided","time":"never"}', decided(0, { username: 7 })];
  expect(await replay(others, {})).toMatchObject({
    exitCode: 1,
    errors: ["the file contains no decision of a gateway"],
  });
  expect(await replay([...others, ...broken], {})).toMatchObject({
    errors: ["the file contains no decision of a gateway that can be read (3 lines)"],
  });
  const lines = [...others, ...broken, decided(0, {})];
  expect(await reported(lines, {})).toMatchObject({ exitCode: 0, decisions: 1, unreadable: 3, scored: 0 });
  expect((await replay(lines, {})).output).toContain("3 lines could not be read");
  const absent = await runRiskCommand(["replay", "/nonexistent/log"], { terminal });
  expect(absent).toMatchObject({ exitCode: 1, errors: [expect.stringContaining("the log cannot be read")] });
});

test("signals of another version are named and count as none", async () => {
  const line = decided(1, { risk_signals: "moon_phase new_source" });
  expect(await reported([line], {})).toMatchObject({ decisions: 1, suspicious: 0, unknown_signals: ["moon_phase"] });
  expect((await replay([line], {})).output).toContain("signals of another version, counted as none: moon_phase");
});

test("a rule set with an unknown signal or response is not replayed", async () => {
  const rules = [{ weights: { moon_phase: 10 } }, { dangerous: { score: 80, responses: ["explode"] } }];
  for (const rule of rules) {
    const { exitCode, errors } = await replay([decided(0, {})], rule);
    expect([exitCode, errors[0]]).toEqual([1, "configuration problems:"]);
    expect(errors.join(" ")).toMatch(/auth\.risk\.(weights|dangerous)/u);
  }
});

test("a line of any length takes no memory, and the decisions around it count", async () => {
  const long = decided(1, { username: "x".repeat(longestLine) });
  const found = await reported([decided(0, {}), long, "y".repeat(3_000_000), decided(2, {})], {});
  expect(found).toMatchObject({ exitCode: 0, decisions: 2, unreadable: 2 });
});

test("lines are the same however the file is cut into pieces", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: "grapheme" })), fc.integer({ min: 1, max: 7 }), async (texts, size) => {
      const lines = texts.map((text) => text.replaceAll("\n", ""));
      const whole = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      async function* pieces() {
        for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
      }
      const read: (string | null)[] = [];
      for await (const line of logLines(pieces())) read.push(line);
      expect(read).toEqual(lines);
    }),
  );
});

test.each([
  [["replay", "a", "--limit", "10001"]],
  [[]],
  [["replay"]],
  [["replay", "a", "b"]],
  [["play", "a"]],
  [["replay", "a", "--limit", "x"]],
  [["--no"]],
])("a wrong command line is not run: %j", async (args) => {
  expect(await runRiskCommand(args, { terminal })).toMatchObject({ exitCode: 2, output: [] });
});

test("an interruption ends the reading, and what was read is reported", async () => {
  const lines = Array.from({ length: 20_000 }, (_, minute) => decided(minute, {}));
  const running = replay(lines, {});
  const before = process.listenerCount("SIGINT");
  await vi.waitFor(() => expect(process.listenerCount("SIGINT")).toBeGreaterThan(before));
  process.emit("SIGINT");
  const { exitCode, output, errors } = await running;
  expect([exitCode, errors]).toEqual([1, ["interrupted: the log was not read to its end"]]);
  expect(output[0]).toMatch(/^\d+ decisions/u);
  expect(process.listenerCount("SIGINT")).toBe(before);
});
