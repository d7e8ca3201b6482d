import { stripVTControlCharacters } from "node:util";
import type { Attacks, SignInSeries, SystemReport } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { charactersOf } from "../paint.ts";
import { sparkline } from "./sparkline.ts";
import { numberText, type TopFrame, topLines } from "./top-lines.ts";

const time = "2030-05-06T13:55:00.000Z";

const steps: SignInSeries["steps"] = Array.from({ length: 60 }, (_, index) => ({
  time,
  ok: index,
  cached: 10,
  wrong_password: index === 30 ? 8000 : 0,
  unknown_user: 0,
  denied: 0,
  blocked: index % 2,
  tempfail: 0,
  new_bans: index === 5 ? 3 : 0,
  bans: 3,
  suspicious: 0,
  p99_ms: 41.6,
}));

const series: SignInSeries = {
  range: "1h",
  step_seconds: 60,
  steps,
  protocols: [],
  p99_ms: 640,
  week_step_seconds: 3600,
  week: [],
  objective: { tempfail_share: 0.001, p99_ms: 500 },
};

const attacks: Attacks = {
  minutes: [],
  networks: [{ network: "203.0.113.0/24", failures: 12, refused: 7 }],
  accounts: [
    { account: "alice\u001b[2J@example.test", addresses: 1200, wrong_passwords: 3, delayed_until: time },
    { account: `bob-${"x".repeat(300)}@example.test`, addresses: 4, wrong_passwords: 900 },
  ],
};

const instance = (version: string): SystemReport["services"][number]["instances"][number] => ({
  instance: "a",
  version,
  status: "up",
  started: time,
  heard: time,
  failed_checks: [],
  configuration: { digest: "a", loaded: time, changed: [], needs_restart: [] },
});

const system: SystemReport = {
  time,
  state: "degraded",
  verdict: "Sign-ins work, but the backend sql is down for one engine.",
  findings: [{ severity: "problem", subject: "backend sql", text: "does not answer" }],
  services: [
    { service: "auth-engine", state: "up", instances: [instance("1.0.0"), instance("1.1.0"), instance("1.0.0")] },
    { service: "idp", state: "unknown", instances: [] },
  ],
  engines: { state: "up", heard: 3 },
  backends: [{ name: "sql", state: "down", down_at: ["a"] }],
  redis: [{ role: "state", state: "up" }],
  nats: { state: "up" },
  queues: [{ name: "flush", state: "up", waiting: 3, failed: 1 }],
  jobs: [],
  configuration: { digest: "a", loaded: time, changed: [], needs_restart: [], is_uniform: true },
  expiries: [],
  scripts: [],
};

const frame = (columns: number, more: Partial<TopFrame> = {}): TopFrame => ({
  columns,
  listed: 5,
  sort: "sources",
  selected: undefined,
  paint: (_colour, text) => text,
  ...more,
});

const all = { series, system, attacks, unavailable: [] };

test("a telephone's terminal of 40 columns shows everything, and no line is longer", () => {
  const lines = topLines(all, frame(40));
  expect(Math.max(...lines.map((line) => charactersOf(line).length))).toBeLessThanOrEqual(40);
  expect(lines).toEqual(
    expect.arrayContaining(
      [
        "Sign-ins work, but the backend sql is d…",
        "SIGN-INS                   a min.    hour",
        "bans           █████████       3      +3",
        "p99, ms        █████████      42     640",
        "p99 640 ms of at most 500 ms: missed",
        "  203.0.113.0/24            12         7",
        "auth-engine 1.0.0 ×2 1.1.0 ×1 up",
        "idp unknown   3 heard of engines up",
        "queue flush 3 waiting 1 failed up",
      ].map((line) => (line.startsWith("SIGN-INS") ? expect.stringMatching(/^SIGN-INS +a min\. +hour$/u) : line)),
    ),
  );
});

test("wide terminals show longer bars and more columns", () => {
  const lines = topLines(all, frame(120));
  expect(lines.find((line) => line.startsWith("wrong password"))).toMatch(/^wrong password {31}█ {30} {6}0 {3}8,000$/u);
  expect(lines.find((line) => line.startsWith("  alice"))).toMatch(/^ {2}alice\?\[2J@example\.test +1,200 +3 +13:55$/u);
  expect(lines.join("\n")).toMatch(/backend sql down\s+redis state up\s+nats up\s+queue flush 3 waiting 1 failed up$/u);
});

test("on 24 rows everything fits, and health is not cut, whatever is wrong", () => {
  const findings = Array.from({ length: 9 }, () => ({ severity: "problem" as const, subject: "idp", text: "silent" }));
  const many = {
    ...system,
    findings,
    backends: Array.from({ length: 6 }, (_, index) => ({
      ...system.backends[0],
      name: `sql${index}`,
      state: "down" as const,
      down_at: [],
    })),
  };
  for (const columns of [40, 80, 120]) {
    for (const data of [all, { ...all, system: many }]) {
      const lines = topLines(data, frame(columns, { rows: 22, listed: 2 }));
      expect([columns, lines.length <= 22]).toEqual([columns, true]);
      const text = lines.join("\n");
      for (const part of ["SIGN-INS", "ACCOUNT", "NETWORK", "HEALTH", "idp unknown"]) expect(text).toContain(part);
    }
  }
  // With room, nothing is left out.
  expect(topLines(all, frame(80, { rows: 60 }))).toEqual(topLines(all, frame(80)));
  expect(topLines(all, frame(80, { rows: 22, listed: 2 })).join("\n")).not.toMatch(/^unknown user/mu);
});

test("an attack is said first, in at most three lines", () => {
  const verdict = `Under attack since 03:10 UTC: 96 % of 56,220 sign-ins were refused. ${"Tried: 212 accounts. ".repeat(9)}`;
  const situation = { state: "attack", verdict, sentences: [], since: time };
  const lines = topLines({ ...all, attacks: { ...attacks, situation } }, frame(40));
  expect(lines.slice(0, 4)).toEqual([
    "Under attack since 03:10 UTC: 96 % of",
    "56,220 sign-ins were refused. Tried: 212",
    expect.stringMatching(/^accounts\..{30}…$/u),
    "Sign-ins work, but the backend sql is d…",
  ]);
  const up = { ...system, state: "up" as const, verdict: "Everything works.", findings: [] };
  expect(topLines({ ...all, system: up, attacks: { ...attacks, situation } }, frame(40))).not.toContain(up.verdict);
  expect(topLines({ ...all, system: up }, frame(40))).toContain(up.verdict);
  const quiet = { ...attacks, situation: { state: "quiet", verdict: "", sentences: [] } };
  expect(topLines({ ...all, attacks: quiet }, frame(40))).toEqual(topLines(all, frame(40)));
});

test("what could not be read is named and left out", () => {
  const unavailable = ["health: 403: these credentials lack the permission for this command"];
  const lines = topLines({ series, unavailable }, frame(80));
  expect(lines[0]).toBe(unavailable[0]);
  expect(lines.join("\n")).not.toMatch(/HEALTH|ACCOUNT/u);
  expect(topLines({ unavailable }, frame(80))).toEqual(unavailable);
});

test("the selected row is marked in the second list too", () => {
  const marked = topLines(all, frame(80, { selected: 2 })).filter((line) => line.startsWith("> "));
  expect(marked).toEqual([expect.stringContaining("203.0.113.0/24")]);
});

test("a site without sign-ins judges no objective", () => {
  const quiet = {
    ...series,
    steps: steps.map((step) => ({ ...step, ok: 0, cached: 0, wrong_password: 0, blocked: 0 })),
  };
  expect(topLines({ series: quiet, unavailable: [] }, frame(80)).join("\n")).not.toMatch(/met|missed/u);
  expect(topLines({ series: { ...series, steps: [] }, unavailable: [] }, frame(80)).length).toBeGreaterThan(8);
});

test("bars show the latest values, the highest in full, and an unknown value as nothing", () => {
  expect(sparkline([9, 9, 0, 1, undefined, 4, 8], 5)).toBe(" ▂ ▅█");
  expect(sparkline([1], 3)).toBe("  █");
  expect(sparkline([], 3)).toBe("   ");
  expect([0, 999, 12_345, 1_234_567].map(numberText)).toEqual(["0", "999", "12,345", "1.2M"]);
  expect(stripVTControlCharacters(topLines(all, frame(60)).join(""))).toBe(topLines(all, frame(60)).join(""));
});
