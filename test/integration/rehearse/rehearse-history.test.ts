/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../../cli/src/run.ts";
import { usersBackends, writeUsers } from "../../support/accounts-database.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { operatorCredentials } from "../../support/run-operator.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { type RecordedRun as Run, recordRuns } from "./recorded-history.ts";

/** On several pages. */
const accounts = 600;
/** Those of which the last sign-ins are recent enough for tests that need few. */
const recent = 100;
const victims = [17, 411, 599];
const hourMs = 3_600_000;
const nameOf = (index: number): string => `user${index}@example.test`;

const success = (index: number, more: Partial<Run> = {}): Run => ({
  timeMs: Date.now() - hourMs,
  firstMs: Date.now() - hourMs,
  count: 2,
  outcome: "ok",
  channel: "mail",
  account: nameOf(index),
  username: nameOf(index),
  clientIp: `10.1.${index >> 8}.${index & 255}`,
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  session: "7d3f91ac-20b4-4444-8888-000000000000",
  isRepetition: true,
  ...more,
});

const longAgo = { timeMs: Date.now() - 3 * hourMs, firstMs: Date.now() - 3 * hourMs };

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    redis: true,
    services: ["admin"],
    settings: { observability: { decision_history: { enabled: true } } },
  });
  await recordRuns(stack, [
    ...Array.from({ length: accounts }, (_, index) => success(index, index < accounts - recent ? longAgo : {})),
    ...victims.map((index) => success(index, { protocol: "pop3" })),
    success(1, { outcome: "denied", reason: "wrong_password", count: 5 }),
    success(2, { outcome: "blocked", reason: "banned", rule: "net", account: undefined }),
    success(3, { channel: "browser", protocol: "idp", step: "totp", outcome: "denied", reason: "totp" }),
    success(4, {
      timeMs: Date.now() - 40 * hourMs,
      firstMs: Date.now() - 40 * hourMs,
      outcome: "denied",
      reason: "script",
    }),
  ]);
}, 120_000);

afterAll(() => stack[Symbol.asyncDispose]());

/** Rehearses a change of the stack's configuration. */
async function rehearse(change: (tree: { auth: Record<string, unknown> }) => void, ...flags: readonly string[]) {
  const tree = JSON.parse(readFileSync(stack.configFile, "utf8"));
  change(tree);
  const changed = join(stack.folder, "changed.yaml");
  writeFileSync(changed, JSON.stringify(tree));
  const environment = { POSTERN_URL: stack.url, ...operatorCredentials };
  const terminal = { input: new PassThrough(), output: new PassThrough() };
  const args = ["rehearse", "--config", changed, "--against", stack.configFile, "--json", ...flags];
  const { exitCode, output, errors } = await run(args, { environment, terminal, progress: () => undefined });
  return { exitCode, errors, report: JSON.parse(output.join("\n") || "{}") };
}

type Reported = Awaited<ReturnType<typeof rehearse>>["report"];

const countOf = ({ not_judged: reasons }: Reported, start: string): number =>
  reasons.find(({ reason }: { reason: string }) => reason.startsWith(start))?.count ?? 0;

test("a policy that would lock out 3 of all accounts is found in the history with exactly these three", async () => {
  const policy = {
    mode: "enforce",
    policies: [{ name: "no-pop3", if: { attribute: "request.protocol", eq: "pop3" }, then: { decision: "deny" } }],
  };
  const { exitCode, report, errors } = await rehearse(({ auth }) => void (auth["policy"] = policy), "--since", "30h");
  expect([exitCode, errors, report.complete, report.source]).toEqual([0, [], true, "history"]);
  // Equal sign-ins are one record, and count as many.
  expect(report.now_refused).toEqual({ sign_ins: 6, accounts: 3, networks: 3 });
  expect(report.different).toEqual(report.now_refused);
  const [group] = report.groups;
  expect([report.groups.length, group.before, group.after]).toEqual([1, "admitted", "refused (policy no-pop3)"]);
  expect(group.account_names.toSorted()).toEqual(victims.map(nameOf).toSorted());
  expect(report.sign_ins).toBe(2 * (accounts + victims.length) + 5 + 2);
  expect(countOf(report, "refused by a ban")).toBe(2);
  expect(countOf(report, "steps after the password")).toBe(2);
  expect(countOf(report, "a policy depends")).toBe(0);
});

test("what the history cannot judge is said, and fails --fail-over", async () => {
  const tls = { attribute: "request.connection.tls", is: false };
  const { exitCode, report, errors } = await rehearse(
    ({ auth }) => {
      auth["controls"] = {
        enabled: ["brute_force"],
        brute_force: {
          buckets: [{ name: "net", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 2, ipv4: true }],
        },
      };
      auth["policy"] = { mode: "enforce", policies: [{ name: "tls", if: tls, then: { decision: "deny" } }] };
    },
    "--since",
    "2h",
    "--fail-over",
    "1%",
  );
  expect(report.different.sign_ins).toBe(0);
  expect(countOf(report, "auth.controls.brute_force differs (net): the history does not say")).toBeGreaterThan(0);
  expect(countOf(report, "a policy depends on request.connection.tls")).toBeGreaterThan(2 * recent);
  expect([exitCode, errors]).toEqual([1, ["100% could not be evaluated, which is more than --fail-over 1%"]]);
});

test("accounts that the backends of the changed configuration do not know are found, each looked up once", async () => {
  const missing = [3, 5, 8, 13, 21, 34, 55, 89, 144, 233];
  const file = join(stack.folder, "new-directory.sqlite");
  const known = Array.from({ length: accounts }, (_, index) => index).filter((index) => !missing.includes(index));
  const users = known.map((index) => [nameOf(index), "no password"] as const);
  writeUsers(file, users);
  const toSql = ({ auth }: { auth: Record<string, unknown> }) => void (auth["backends"] = usersBackends(file));
  const { exitCode, report } = await rehearse(toSql, "--look-up-rate", "10000", "--fail-over", "0.01%");
  const [group] = report.groups;
  expect([exitCode, report.groups.length, group.after]).toEqual([1, 1, "refused (unknown in the new backends)"]);
  expect(group.account_names.toSorted()).toEqual(missing.map(nameOf).toSorted());
  expect(report.now_refused).toMatchObject({ sign_ins: 20, accounts: 10 });
});

test("a directory that does not answer is no difference", async () => {
  const ldap = { default: { server_uri: ["ldap://127.0.0.1:1"], bind_dn: "cn=x", bind_pw: "x" } };
  const search = [
    {
      protocol: ["imap", "pop3", "idp"],
      cache_name: "x",
      base_dn: "dc=x",
      filter: { user: "(uid=%L{user})" },
      mapping: { account_field: "uid" },
    },
  ];
  const { exitCode, report, errors } = await rehearse(
    ({ auth }) => void (auth["backends"] = { order: ["ldap"], ldap: { ...ldap, search } }),
    "--since",
    "2h",
    "--look-up-rate",
    "10000",
    "--fail-over",
    "1%",
  );
  expect(errors.join("\n")).toContain("could not be evaluated");
  expect(exitCode).toBe(1);
  expect(report.different.sign_ins).toBe(0);
  expect(countOf(report, "of accounts that could not be looked up")).toBe(2 * (recent + victims.length));
});

const path = "/api/v1/console/rehearsal";

/** The rehearsal of this configuration for the console, once it has ended. */
async function rehearsed(configuration: string, since = new Date(Date.now() - 2 * hourMs).toISOString()) {
  expect((await askAdmin(stack, "POST", path, { body: { configuration, since } })).status).toBe(202);
  return poll("the end of the rehearsal", async () => {
    const { body: found } = await askAdmin(stack, "GET", path);
    return found["state"] !== "running" && found;
  });
}

test("services in one process rehearse for the console, too", async () => {
  expect(stack.isOneProcess).toBe(process.env["POSTERN_SHAPE"] !== "five");
  const found = await rehearsed(readFileSync(stack.configFile, "utf8"));
  expect(found).toMatchObject({ state: "done", report: { complete: true, different: { sign_ins: 0 } } });
});

test("neither files nor variables of the engine's host become part of what the operator sees", async () => {
  const file = join(stack.folder, "secret");
  writeFileSync(file, "a-secret-of-this-host");
  const condition = { attribute: "request.protocol", eq: "pop3" };
  const named = (name: unknown) => [{ name, if: condition, then: { decision: "deny" } }];
  for (const policies of [named("${HOME}"), named("${SERVICE_CONFIG_FILE}"), [{ name: { file } }]]) {
    const tree = JSON.parse(readFileSync(stack.configFile, "utf8"));
    tree.auth.policy = { mode: "enforce", policies };
    const found = await rehearsed(JSON.stringify(tree));
    expect([found["state"], found["report"]]).toEqual(["refused", undefined]);
    expect(JSON.stringify(found)).not.toContain("a-secret-of-this-host");
    expect(found["problems"]).not.toEqual([]);
  }
});

const ask = (query: string) => askAdmin(stack, "GET", `/api/v1/console/history/export${query}`);

test("cursors and times of the export are checked", async () => {
  expect((await ask("?cursor=nonsense")).status).toBe(400);
  expect((await ask("?cursor=500:0")).status).toBe(400);
  expect((await ask("?since=yesterday")).status).toBe(400);
  const page = await ask("");
  expect(page.status).toBe(200);
  expect(page.headers.get("cache-control")).toBe("no-store");
});

test("who read the history since when is audited, once for many pages, without names", async () => {
  const lines = (): readonly string[] =>
    stack
      .service("admin")
      .output()
      .split("\n")
      .filter((line) => line.includes("history.export"));
  const last = "2099-01-01T00:00:00.000Z";
  await ask(`?since=${last}`);
  await poll("the last audit record", () => lines().at(-1)?.includes(last) === true);
  const records = lines().map((line) => JSON.parse(line));
  expect(records[0]).toMatchObject({ event: "history.export", outcome: "ok", actor: "backchannel" });
  const targets = records.map(({ target }) => target);
  // Three rehearsals had a time, of which each is another one. One had none, nor had a request of the test before.
  expect(targets.length).toBe(3 + 1 + 1);
  expect(new Set(targets).size).toBe(targets.length);
  expect(stack.gateway.output()).not.toContain(nameOf(411));
});
