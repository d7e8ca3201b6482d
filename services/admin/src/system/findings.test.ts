import type { SystemReport } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { findingsOf, stateOf } from "./findings.ts";

type Facts = Omit<SystemReport, "state" | "verdict" | "findings">;

const time = "2030-05-06T13:58:00.000Z";
const configuration = { digest: "aa", loaded: time, changed: [], needs_restart: [] };
const instance = { instance: "postern@a:1", version: "1.0.0", status: "up", started: time, heard: time };
const running = (service: string, fields: object = {}) => ({
  service,
  state: "up",
  instances: [{ ...instance, failed_checks: [], configuration, ...fields }],
});
const site: Facts = {
  time,
  services: [running("gateway"), running("auth-engine"), running("idp"), running("admin")],
  engines: { state: "up", heard: 1 },
  backends: [{ name: "ldap default", state: "up", down_at: [] }],
  redis: [{ role: "state", state: "up" }],
  nats: { state: "up" },
  queues: [{ name: "flush", state: "up", waiting: 3 }],
  jobs: [],
  configuration: { ...configuration, is_uniform: true },
  expiries: [{ name: "runtime.servers.http.tls.cert", end: time, days: 90 }],
  scripts: [],
};

const judged = (fields: Partial<Facts>) => {
  const facts = { ...site, ...fields };
  const findings = findingsOf(facts);
  const { state, verdict } = stateOf(facts, findings);
  return { state, verdict, findings: findings.map(({ subject, text }) => `${subject}: ${text}`) };
};

test("nothing is found on a site that works", () => {
  expect(judged({})).toEqual({ state: "up", verdict: "Everything works.", findings: [] });
});

test.each<[string, Partial<Facts>, string, string]>([
  [
    "NATS",
    { nats: { state: "down" }, engines: { state: "unknown" } },
    "Sign-in does not work: NATS cannot be reached.",
    "nats: admin cannot reach NATS; without it, every sign-in is a temporary failure",
  ],
  [
    "the engines",
    { engines: { state: "down", heard: 0 } },
    "Sign-in does not work: no engine answers.",
    "engines: no engine sends heartbeats",
  ],
  [
    "every backend",
    { backends: [{ name: "ldap default", state: "down", down_at: ["postern@a:1"] }] },
    "Sign-in works from caches only: no backend can be used.",
    "backend ldap default: cannot be used by postern@a:1",
  ],
  [
    "a backend of one customer",
    {
      backends: [
        { name: "ldap default", state: "up", down_at: [] },
        { name: "ldap ldap(a)", state: "down", down_at: ["postern@a:1"], of_domains: true },
      ],
    },
    "Sign-in works, with 1 warning.",
    "backend ldap ldap(a): cannot be used by postern@a:1: users of its domains cannot sign in, all others can",
  ],
  [
    "a role of Redis",
    { redis: [{ role: "cache", state: "down" }] },
    "Sign-in works, with 1 problem.",
    "redis cache: does not answer",
  ],
  [
    "the identity provider",
    { services: [running("gateway"), { service: "idp", state: "unknown", instances: [] }] },
    "Mail sign-in works, web sign-in does not: 1 problem.",
    "service idp: no process answers: users cannot sign in to web applications",
  ],
  [
    "the identity provider without Redis",
    {
      services: [running("gateway"), running("idp", { status: "degraded", failed_checks: ["redis_state"] })],
    },
    "Mail sign-in works, web sign-in does not: 1 warning.",
    "service idp: postern@a:1 works without redis_state",
  ],
  [
    "an expired certificate",
    { expiries: [{ name: "x", end: time, days: -1 }] },
    "Sign-in works, with 1 problem.",
    "certificate x: expired on 2030-05-06",
  ],
])("%s is named in a sentence", (_what, fields, verdict, finding) => {
  const found = judged(fields);
  expect(found.verdict).toBe(verdict);
  expect(found.findings).toContain(finding);
});

test("problems come before warnings", () => {
  const facts: Partial<Facts> = {
    expiries: [{ name: "soon", end: time, days: 20 }],
    redis: [{ role: "state", state: "down" }],
    services: [
      running("gateway", { status: "degraded", failed_checks: ["redis_state"] }),
      running("admin", { version: "2.0.0" }),
    ],
    queues: [{ name: "flush", state: "up", waiting: 1000 }],
    configuration: { ...site.configuration, is_uniform: false, needs_restart: ["a.b"] },
  };
  expect(judged(facts)).toEqual({
    state: "degraded",
    verdict: "Sign-in works, with 1 problem and 6 warnings.",
    findings: [
      "redis state: does not answer",
      "service gateway: postern@a:1 works without redis_state",
      "certificate soon: expires in 20 days",
      "configuration: the processes have different configurations",
      "configuration: changed keys need a restart: a.b",
      "versions: several are running: 1.0.0, 2.0.0",
      "queue flush: 1000 jobs are waiting",
    ],
  });
});
