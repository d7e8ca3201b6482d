/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { RehearsalReport, RehearsalRun } from "@postern/shared/contracts";
import { poll } from "@postern/testing";
import { Value } from "typebox/value";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../../cli/src/run.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { operatorCredentials } from "../../support/run-operator.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { type RecordedRun, recordRuns } from "./recorded-history.ts";

/** With recent sign-ins. */
const accounts = 10_000;
/** With earlier ones: all together take some seconds to read. */
const others = 40_000;
const victims = [17, 4111, 9999];
const nameOf = (index: number): string => `user${index}@example.test`;
const path = "/api/v1/console/rehearsal";
const hourMs = 3_600_000;

const success = (index: number, protocol = "imap"): RecordedRun => ({
  timeMs: Date.now() - (index < accounts ? 1 : 3) * hourMs,
  firstMs: Date.now() - (index < accounts ? 1 : 3) * hourMs,
  count: 1,
  outcome: "ok",
  channel: "mail",
  account: nameOf(index),
  username: nameOf(index),
  clientIp: `10.${index >> 8}.${index & 255}.7`,
  protocol,
  reason: "",
  rule: "",
  step: "",
  client: "",
  session: "7d3f91ac-20b4-4444-8888-000000000000",
});

const rule = (name: string, protocol: string) => ({
  mode: "enforce",
  policies: [{ name, if: { attribute: "request.protocol", eq: protocol }, then: { decision: "deny" } }],
});

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    redis: true,
    engines: 2,
    services: ["admin"],
    settings: { observability: { decision_history: { enabled: true } } },
  });
  await recordRuns(stack, [
    ...Array.from({ length: accounts + others }, (_, index) => success(index)),
    ...victims.map((index) => success(index, "pop3")),
  ]);
}, 240_000);

afterAll(() => stack[Symbol.asyncDispose]());

type Tree = Record<string, Record<string, unknown>>;

/** The configuration of the stack with a change. */
function changed(change: (tree: Tree) => void): string {
  const tree: Tree = JSON.parse(readFileSync(stack.configFile, "utf8"));
  change(tree);
  return JSON.stringify(tree);
}

const withPolicy = (policy: unknown): string => changed(({ auth = {} }) => void (auth["policy"] = policy));

const start = (configuration: string, more = {}) => askAdmin(stack, "POST", path, { body: { configuration, ...more } });

async function now(): Promise<RehearsalRun> {
  const { status, body, headers } = await askAdmin(stack, "GET", path);
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  return Value.Parse(RehearsalRun, body);
}

async function ended(): Promise<RehearsalRun> {
  let run: RehearsalRun = { state: "none" };
  await poll(
    "the end of the rehearsal",
    async () => {
      run = await now();
      return run.state !== "running";
    },
    120_000,
  );
  return run;
}

/** What the command says of the same change. */
async function byCommand() {
  const file = join(stack.folder, "changed.yaml");
  writeFileSync(file, withPolicy(rule("no-pop3", "pop3")));
  const environment = { POSTERN_URL: stack.url, ...operatorCredentials };
  const terminal = { input: new PassThrough(), output: new PassThrough() };
  const args = ["rehearse", "--config", file, "--against", stack.configFile, "--since", "2h", "--json"];
  const { output } = await run(args, { environment, terminal, progress: () => undefined });
  const report = Value.Parse(RehearsalReport, JSON.parse(output.join("\n")));
  const names = report.groups.flatMap(({ account_names: accountNames }) => accountNames).toSorted();
  return [report.sign_ins, report.now_refused, names];
}

test("a policy that would lock out 3 of 10,000 accounts is found with exactly these, by one of two engines and by the command", async () => {
  const since = new Date(Date.now() - 2 * hourMs).toISOString();
  const { status, body } = await start(withPolicy(rule("no-pop3", "pop3")), { since });
  expect([status, body["state"]]).toEqual([202, "running"]);
  const { state, report, by, since: from } = await ended();
  expect([state, by, from]).toEqual(["done", "backchannel", since]);
  expect([report?.complete, report?.sign_ins]).toEqual([true, accounts + victims.length]);
  expect(report?.now_refused).toEqual({ sign_ins: 3, accounts: 3, networks: 3 });
  expect(report?.different).toEqual(report?.now_refused);
  expect(report?.groups.map(({ after, account_names: names }) => [after, names.toSorted()])).toEqual([
    ["refused (policy no-pop3)", victims.map(nameOf).toSorted()],
  ]);
  expect(await byCommand()).toEqual([report?.sign_ins, report?.now_refused, victims.map(nameOf).toSorted()]);
  // The secrets of the configuration in use and of the text differ in nothing, and neither do its backends.
  expect(report?.not_judged.filter(({ reason }) => reason.includes("differs"))).toEqual([]);
});

test("while one runs, another is refused; one that is cancelled has the result of the part that was read", async () => {
  // Both engines get some of these.
  const starts = await Promise.all(Array.from({ length: 6 }, () => start(withPolicy(rule("no-pop3", "pop3")))));
  expect(starts.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409, 409, 409]);
  expect((await askJson(stack.url, alice)).status).toBe(200);
  const second = await start(withPolicy(rule("no-imap", "imap")));
  expect([second.status, second.body]).toEqual([409, { error: "another rehearsal is running" }]);
  await poll("some of the history", async () => ((await now()).done ?? 0) > 0);
  expect((await askAdmin(stack, "DELETE", path)).status).toBe(204);
  expect((await now()).cancelled).toBe(true);
  const { state, report } = await ended();
  expect([state, report?.complete]).toEqual(["done", false]);
  expect(report?.sign_ins).toBeGreaterThan(0);
  expect(report?.sign_ins).toBeLessThan(accounts + others);
  // None is running any more.
  expect((await askAdmin(stack, "DELETE", path)).status).toBe(204);
});

test("scripts, changed backends and domain sources are listed, and neither run nor opened", async () => {
  const { status } = await start(
    changed(({ auth = {} }) => {
      auth["backends"] = { order: ["ldap"], ldap: { default: { server_uri: ["ldap://127.0.0.1:1"] }, search: [] } };
      auth["controls"] = { enabled: ["lua"], lua: { enabled: true } };
    }),
  );
  expect(status).toBe(202);
  const { state, report, problems = [] } = await ended();
  // Whether the configuration is one without problems is not the point here.
  const texts = [...problems, ...(report?.not_judged ?? []).map(({ reason }) => reason)].join("\n");
  expect(["done", "refused"]).toContain(state);
  expect(texts).toMatch(/auth\.(backends|controls)/u);
  const output = stack.engines.map((engine) => engine.output()).join("");
  expect(output).not.toContain("127.0.0.1:1:");
});

test("a configuration with problems, one that is no YAML, and one that is too long are refused with the reason", async () => {
  for (const text of ["auth: [", "auth: { nonsense: 1 }", "[".repeat(10_000)]) {
    expect((await start(text)).status).toBe(202);
    expect((await ended()).state).toBe("refused");
  }
  const condition = { attribute: "request.protocol", matches: "(" };
  const policy = { mode: "enforce", policies: [{ name: "bad", if: condition, then: { decision: "deny" } }] };
  expect((await start(withPolicy(policy))).status).toBe(202);
  expect(JSON.stringify(await ended())).toContain("auth.policy");
  expect((await start("x".repeat(262_145))).status).toBe(400);
  expect((await start("")).status).toBe(400);
  expect((await start("{}", { since: "yesterday" })).status).toBe(400);
});

test("starting and cancelling are audited, and nothing of the configuration is in a log", async () => {
  const lines = (event: string) =>
    stack
      .service("admin")
      .output()
      .split("\n")
      .filter((line) => line.includes(`"event":"${event}"`))
      .map((line) => JSON.parse(line));
  await poll("the audit records", () => lines("rehearsal.cancel").length > 0);
  expect(lines("rehearsal.start").map(({ outcome }) => outcome)).toContain("denied");
  expect(lines("rehearsal.start")[0]).toMatchObject({ outcome: "ok", actor: "backchannel" });
  const output = [stack.gateway, stack.service("admin"), ...stack.engines].map((one) => one.output()).join("");
  expect(output).not.toContain("no-pop3");
  expect(output).not.toContain(nameOf(4111));
});
