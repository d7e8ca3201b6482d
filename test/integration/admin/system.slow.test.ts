import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SystemReport } from "@postern/shared/contracts";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const folder = await scratchFolder();
const hook = join(folder.path, "hello.lua");
/** The certificate behind this key is valid for a day. */
const certificateKey = "auth.backends.ldap.default.tls_client_cert";
let stack: Stack;

beforeAll(async () => {
  await writeFile(hook, 'function hook() return { status = 200, body = "hello" } end\n');
  await makeCertificate(folder.path, "client", "/CN=client");
  stack = await startStack({
    shape: "five",
    redis: true,
    services: ["idp", "admin", "jobs-worker"],
    settings: {
      auth: {
        backends: {
          ldap: {
            default: {
              tls_client_cert: join(folder.path, "client.crt"),
              tls_client_key: join(folder.path, "client.key"),
            },
          },
        },
        controls: { lua: { hooks: [{ http_location: "hello", http_method: "GET", script_path: hook }] } },
      },
      storage: { redis: { write_timeout: "300ms" } },
      identity: { oidc: { enabled: true, issuer: "http://localhost:8080" } },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function system(): Promise<SystemReport> {
  const { status, text } = await askAdmin(stack, "GET", "/api/v1/console/system");
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** Reports are reused for a second, and heartbeats stop being heard after one. */
async function systemWhen(what: string, isMeant: (report: SystemReport) => boolean): Promise<SystemReport> {
  let report = await system();
  await poll(what, async () => {
    report = await system();
    return isMeant(report);
  });
  return report;
}

const statesOf = ({ services }: SystemReport) =>
  Object.fromEntries(services.map(({ service, state }) => [service, state]));
const subjects = ({ findings }: SystemReport): readonly string[] => findings.map(({ subject }) => subject);

test("a whole site is reported with every part, and nothing of it is secret", async () => {
  const report = await systemWhen("every service", ({ services }) => services.every(({ state }) => state === "up"));
  expect(report).toMatchObject({ verdict: "Sign-in works, with 1 warning.", engines: { state: "up", heard: 1 } });
  expect(subjects(report)).toEqual([`certificate ${certificateKey}`]);
  expect(Object.keys(statesOf(report)).toSorted()).toEqual(["admin", "auth-engine", "gateway", "idp", "jobs-worker"]);
  expect(report.redis.map(({ role, state }) => [role, state])).toEqual([
    ["state", "up"],
    ["queue", "up"],
    ["cache", "up"],
  ]);
  expect(report.backends).toEqual([{ name: expect.stringMatching(/^sql /u), state: "up", down_at: [] }]);
  expect(report.queues).toMatchObject([
    { name: "flush", state: "up", waiting: 0 },
    { name: "notifications", state: "up", waiting: 0 },
  ]);
  expect(report.scripts).toEqual([{ file: hook, services: ["admin"] }]);
  expect(report.configuration).toMatchObject({ changed: [], needs_restart: [], is_uniform: true });
  expect(report.expiries).toMatchObject([{ name: certificateKey, days: 0 }]);
  const keys = report.signing_keys ?? [];
  expect(keys.flatMap(({ signs }) => signs).toSorted()).toEqual(["ES256", "PS256", "RS256"]);
  for (const key of keys) expect(key).toMatchObject({ name: expect.stringMatching(/^OIDC ./u), age_days: 0 });
  expect(JSON.stringify(report)).not.toContain("demo-backchannel-secret");
});

test("a flush job is listed with its state", async () => {
  await askAdmin(stack, "DELETE", "/api/v1/cache/flush/async", { body: { user: "alice@example.test" } });
  const { jobs } = await systemWhen("the job's end", (report) => report.jobs.some(({ status }) => status === "DONE"));
  expect(jobs).toMatchObject([{ type: "CACHE_FLUSH", error: "" }]);
});

test("after a reload of one process, changed keys and processes with another configuration are reported", async () => {
  await stack.writeSettings({
    observability: { log: { level: "debug" } },
    runtime: { jobs: { max_queued: 4321 } },
  });
  stack.services.get("admin")?.signal("SIGHUP");
  const report = await systemWhen("the reload", ({ configuration }) => configuration.changed.length > 0);
  expect(report.configuration).toMatchObject({
    changed: ["observability.log.level", "runtime.jobs.max_queued"],
    needs_restart: ["runtime.jobs.max_queued"],
    is_uniform: false,
  });
  expect(subjects(report).filter((subject) => subject === "configuration")).toHaveLength(2);
  await stack.writeSettings({});
  stack.services.get("admin")?.signal("SIGHUP");
  await systemWhen("the old configuration", ({ configuration }) => configuration.is_uniform);
});

const refused = (report: SystemReport) => report.findings.filter(({ text }) => text.startsWith("refused at "));

test("a refused reload is a problem with its time and reason, until a reload succeeds", async () => {
  const valid = await readFile(stack.configFile, "utf8");
  await writeFile(stack.configFile, valid.replace("{", '{ "storag": {}, '));
  stack.services.get("idp")?.signal("SIGHUP");
  const report = await systemWhen("the refusal", (one) => refused(one).length > 0);
  expect(refused(report)).toMatchObject([
    {
      severity: "problem",
      subject: "configuration",
      text: expect.stringMatching(/ by idp, because storag: .*stays in effect$/u),
    },
  ]);
  expect(report.state).toBe("degraded");
  await writeFile(stack.configFile, valid);
  stack.services.get("idp")?.signal("SIGHUP");
  await systemWhen("the valid configuration", (one) => refused(one).length === 0);
});

test("with idp, engine and jobs-worker gone or hung, everything else is still reported", async () => {
  const [engine] = stack.engines;
  await stack.services.get("idp")?.stop();
  await stack.services.get("jobs-worker")?.stop();
  engine?.signal("SIGSTOP");
  try {
    const report = await systemWhen("the engine's silence", ({ engines }) => engines.state === "down");
    expect(report).toMatchObject({ state: "down", verdict: "Sign-in does not work: no engine answers." });
    expect(statesOf(report)).toMatchObject({
      idp: "unknown",
      "auth-engine": "unknown",
      "jobs-worker": "unknown",
      gateway: "up",
    });
    expect(report.backends).toMatchObject([{ state: "unknown" }]);
    expect(subjects(report)).toEqual(
      expect.arrayContaining(["engines", "service auth-engine", "service idp", "service jobs-worker"]),
    );
    expect(report.redis.every(({ state }) => state === "up")).toBe(true);
  } finally {
    engine?.signal("SIGCONT");
  }
  const back = await systemWhen("the engine", ({ engines }) => engines.state === "up");
  expect(back.verdict).toMatch(/^Mail sign-in works, web sign-in does not: /u);
});

test("without Redis and without NATS, admin reports what it knows itself", async () => {
  stack.redis?.signal("SIGSTOP");
  try {
    const report = await systemWhen("the silence of Redis", ({ redis }) =>
      redis.every(({ state }) => state === "down"),
    );
    expect(report.queues.map(({ state }) => state)).toEqual(["unknown", "unknown"]);
    expect(subjects(report)).toEqual(expect.arrayContaining(["redis state", "redis queue", "redis cache"]));
    await stack.nats.stop();
    const alone = await systemWhen("the loss of NATS", ({ nats }) => nats.state === "down");
    expect(alone).toMatchObject({ state: "down", verdict: "Sign-in does not work: NATS cannot be reached." });
    expect(statesOf(alone)).toMatchObject({ gateway: "unknown", admin: "degraded" });
    expect(alone.engines).toEqual({ state: "unknown" });
  } finally {
    stack.redis?.signal("SIGCONT");
  }
});
