import type { SystemReport } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { createShowPage } from "../console-document.ts";
import { type OverviewView, overviewPage } from "./overview-page.ts";
import { sampleSeries } from "./testing/sample-series.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");
const time = "2030-05-06T13:55:00.000Z";

const instance = (version: string): SystemReport["services"][number]["instances"][number] => ({
  instance: `postern@${version}`,
  version,
  status: "up",
  started: time,
  heard: time,
  failed_checks: [],
  configuration: { digest: "a", loaded: time, changed: [], needs_restart: [] },
});

const system: SystemReport = {
  time,
  state: "up",
  verdict: "Everything works.",
  findings: [],
  services: [
    { service: "auth-engine", state: "up", instances: [instance("1.0.0"), instance("1.0.0"), instance("1.1.0")] },
    { service: "idp", state: "unknown", instances: [] },
  ],
  engines: { state: "up", heard: 3 },
  backends: [{ name: "ldap", state: "down", down_at: ["mail2:4712"] }],
  redis: [{ role: "state", state: "up", latency_ms: 0.4 }],
  nats: { state: "up", latency_ms: 0.3 },
  queues: [{ name: "flush", state: "up", waiting: 3 }],
  jobs: [],
  configuration: { digest: "a", loaded: time, changed: [], needs_restart: [], is_uniform: true },
  expiries: [],
  scripts: [],
};

const viewOf = (range: "1h" | "24h" | "7d", more: Partial<OverviewView> = {}): OverviewView => ({
  range,
  series: sampleSeries(range),
  system,
  attacks: { minutes: [], networks: [], accounts: [] },
  operator: { csrfToken: "t" },
  links: {
    search: () => "/console/search?for=handle",
    account: () => "/console/account?for=handle",
    network: () => "/console/network?for=handle",
    kept: (page) => `${page}&kept=handle`,
  },
  ...more,
});

const bodyOf = (view: OverviewView): string => show(overviewPage(view)).body;

test.each(["1h", "24h", "7d"] as const)("the page of %s weighs less than 120 kB and has no inline style", (range) => {
  const body = bodyOf(viewOf(range));
  expect(Buffer.byteLength(body)).toBeLessThan(120_000);
  expect(body).not.toMatch(/ style=|NaN|Infinity|undefined/u);
});

test("while the site is attacked, the page says so first, and nothing is green", () => {
  const situation = {
    state: "attack",
    verdict: "Under attack.",
    sentences: [{ code: "attack.on", values: { since: "03:10 UTC", share: 0.964, count: 1000 } }],
    since: time,
  };
  const attacks = { minutes: [], networks: [], accounts: [], situation };
  const body = bodyOf(viewOf("1h", { attacks }));
  expect(body).toContain('<h1>Overview</h1><div class="verdict blocked">');
  expect(body).toMatch(/Under attack since <time[^>]*>[^<]+<\/time>: 96\u00A0% of 1,000 sign-ins were refused\./u);
  expect(body).toContain("Services, engines and backends work.");
  expect(body).not.toContain("Everything works.");
  const down = bodyOf(viewOf("1h", { attacks, system: { ...system, state: "degraded", verdict: "Half of it." } }));
  expect(down).toContain("Half of it.");
  expect(bodyOf(viewOf("1h"))).toContain("Everything works.");
});

test("objectives that are met and missed are said in words", () => {
  const series = sampleSeries("1h");
  expect(bodyOf(viewOf("1h", { series: { ...series, p99_ms: 499 } }))).toContain("Objective 500 ms: met");
  const missed = series.steps.map((step) => ({ ...step, tempfail: 100_000 }));
  const body = bodyOf(viewOf("1h", { series: { ...series, steps: missed, p99_ms: 501 } }));
  expect(body).toContain("Objective 500 ms: missed");
  expect(body).toContain("Objective at most 0.1\u00A0%: missed");
});

test("the refusals of the week before are compared where they are known", () => {
  const series = sampleSeries("1h");
  const step = { time, failures: 30, week_before: 20 };
  const week = (...of: readonly { time: string; failures: number; week_before?: number }[]) =>
    bodyOf(viewOf("1h", { series: { ...series, week: [...of] } }));
  // The last step has just begun.
  const begun = { time, failures: 1, week_before: 20 };
  expect(week(step, begun)).toContain("+50 % on the week before, in 24 hours<");
  expect(week({ time, failures: 999 }, step, begun)).toContain("+50 % on the week before, in 24 hours<");
  expect(week({ time, failures: 999 })).not.toContain("on the week before");
  // An attack in the hour that has begun.
  expect(week(step, { time, failures: 1450, week_before: 20 })).toContain("37 times the week before, in 24 hours<");
});

test("processes of several versions are counted by version", () => {
  expect(bodyOf(viewOf("1h"))).toContain("Version 1.0.0 × 2, 1.1.0; last start");
});

test("without sign-ins the page says so, and no objective is judged", () => {
  const { steps, ...rest } = sampleSeries("1h");
  const none = { ok: 0, cached: 0, wrong_password: 0, unknown_user: 0, denied: 0, blocked: 0, tempfail: 0 };
  const empty = steps.map((step) => ({ time: step.time, ...none, new_bans: 0, suspicious: 0 }));
  const { p50_ms: _p50, p99_ms: _p99, ...series } = { ...rest, steps: empty, week: [], protocols: [] };
  const body = bodyOf(viewOf("1h", { series }));
  expect(body.match(/None in this time\./gu)).toHaveLength(6);
  expect(body).not.toContain("Objective");
});
