import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { askPolicy } from "../../support/auth-policy.ts";
import { basicOf } from "../../support/dialects.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { runOperator } from "../../support/run-operator.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";
import { createDirectory, password, searchOf } from "./console-of-domains.ts";

const owned = new AsyncDisposableStack();
let stack: Stack;
const address = "198.51.100.7";
const customer = basicOf("customer", "password-of-the-customer");
/** GUIDs of sign-ins, by the name that was typed. */
const sessions = new Map<string, string>();

async function signIn(username: string, typed = password): Promise<void> {
  const { headers } = await askJson(stack.url, { username, password: typed, protocol: "imap", client_ip: address });
  sessions.set(username, headers.get("x-service-session") ?? "");
}

const suspend = (method: string, username: string) =>
  askAdmin(stack, method, "/api/v1/suspensions", { body: { username, for: "1h" } });

beforeAll(async () => {
  const { path } = owned.use(await scratchFolder());
  const a = createDirectory(path, "a.test", { ann: "ann", old: "old" });
  const b = createDirectory(path, "b.test", { bob: "" });
  stack = owned.use(
    await startStack({
      redis: true,
      engines: 2,
      services: ["admin"],
      backends: (folder) => {
        const { sql } = Object(demoBackends(folder));
        const search = [...sql.search, searchOf("a"), searchOf("b")];
        return { order: ["sql"], sql: { ...sql, search, pools: { a: { file: a }, b: { file: b } } } };
      },
      settings: {
        runtime: { servers: { http: { auth_policy_endpoint: true } } },
        observability: { audit_history: { enabled: true }, decision_history: { enabled: true } },
        auth: {
          domains: {
            records: [
              { name: "a.test", aliases: ["alias.test"], backends: ["sql(a)"] },
              { name: "b.test", backends: ["sql(b)"] },
            ],
          },
          backchannel: {
            callers: [{ name: "customer", password: "password-of-the-customer", domains: ["a.test"] }],
          },
        },
      },
    }),
  );
  for (const name of ["ann@a.test", "ann@alias.test", "bob@b.test", "x@nowhere.test"]) await signIn(name);
  await signIn("ann@a.test", "wrong");
  for (const name of ["ann@alias.test", "bob@b.test"]) {
    for (const method of ["POST", "DELETE"]) await suspend(method, name);
  }
  const account = { body: { account: "ann@a.test" }, headers: { authorization: customer } };
  await askAdmin(stack, "POST", "/api/v1/console/account", account);
});

afterAll(() => owned.disposeAsync());

const get = (path: string, authorization = basicAuth) => askAdmin(stack, "GET", path, { headers: { authorization } });
const audit = (query: string, authorization?: string) => get(`/api/v1/console/audit${query}`, authorization);
const domainsIn = (answer: { readonly body: object }): readonly unknown[] => {
  const records: readonly object[] = Reflect.get(answer.body, "records");
  return records.map((record) => Reflect.get(record, "domain"));
};

test("the log of the gateway has the domain, by whichever name, and none that is not served", async () => {
  const line = (username: string) => logLineOf(stack.gateway, sessions.get(username), "decided");
  expect(await line("ann@alias.test")).toMatchObject({ username: "ann@alias.test", domain: "a.test" });
  expect(await line("bob@b.test")).toMatchObject({ domain: "b.test" });
  expect(await line("x@nowhere.test")).not.toHaveProperty("domain");
  const login = { login: "old@alias.test", remote: address, protocol: "imap", pwhash: "00" };
  const { session } = await askPolicy(stack.url, "allow", login);
  expect(await logLineOf(stack.gateway, session, "auth policy")).toMatchObject({ domain: "a.test" });
});

test("recorded sign-ins have the domain, and are filtered and exported by it", async () => {
  const history = `/api/v1/console/history?network=${address}`;
  await poll("the sign-ins are recorded", async () => new Set(domainsIn(await get(history))).size === 3);
  const of = async (domain: string, authorization?: string) =>
    new Set(domainsIn(await get(`${history}&domain=${domain}`, authorization)));
  expect([await of("ALIAS.test"), await of("b.test"), await of("none.test")]).toEqual([
    new Set(["a.test"]),
    new Set(["b.test"]),
    new Set(),
  ]);
  expect([await of("a.test", customer), await of("b.test", customer)]).toEqual([new Set(["a.test"]), new Set()]);
  expect((await get(`${history}&domain=no%20domain`)).status).toBe(400);
  const shown = await runOperator(stack.url, ["history", address, "--domain", "b.test"]);
  expect([shown.out.includes("bob@b.test"), shown.out.includes("ann@")]).toEqual([true, false]);
  const exported = [];
  for (let next = ""; ; ) {
    const { text, body } = await get(`/api/v1/console/history/export?domain=alias.test${next}`);
    exported.push(text);
    if (body["next"] === undefined) break;
    next = `&cursor=${encodeURIComponent(String(body["next"]))}`;
  }
  expect(
    exported
      .join("")
      .match(/@[a-z]+\.test/gu)
      ?.every((name) => /@(?:a|alias)\.test/u.test(name)),
  ).toBe(true);
});

test("audit records have the domain of their account apart from the actor's, and are filtered and exported by it", async () => {
  await poll("the records are kept", async () => (await audit("?actor=customer")).text.includes("account.read"));
  const ofA = await audit("?domain=alias.test&event=account.suspend");
  expect(ofA.body["records"]).toEqual([
    expect.objectContaining({ event: "account.suspend", target: "ann@a.test", domain: "a.test" }),
  ]);
  const [read] = Object((await audit("?event=account.read&actor=customer")).body["records"]);
  expect(read).toMatchObject({ domain: "a.test", actor_domain: "a.test" });
  expect(domainsIn(await audit("?domain=b.test", customer))).toEqual([]);
  const url = `${stack.url}/api/v1/console/audit/export?domain=b.test&format=csv`;
  const csv = await (await fetch(url, { headers: { authorization: basicAuth } })).text();
  expect([csv.includes("bob@b.test"), csv.includes("ann@")]).toEqual([true, false]);
  const listed = await runOperator(stack.url, ["audit", "--domain", "b.test", "--event", "account", "--limit", "1"]);
  expect(listed.out).toMatch(/account\.resume +ok .* bob@b\.test +b\.test/u);
  expect(listed.out).toContain("use a larger --limit");
  const own = await audit("?event=account.suspend", customer);
  expect(own.body["records"]).toEqual([expect.objectContaining({ domain: "a.test" })]);
  expect(own.text).not.toContain("bob@b.test");
});

test("sign-ins and accounts of both engines are counted by domain", async () => {
  const signIns = async (name: string, authorization?: string) =>
    Object((await get(`/api/v1/domains/${name}`, authorization)).body["sign_ins"]);
  await poll("the counts, which engines write every ten seconds", async () => {
    const [a, b] = [await signIns("a.test"), await signIns("b.test")];
    return a.successes === 2 && a.failures === 1 && a.second_factors === 1 && b.successes === 1;
  });
  const own = await signIns("alias.test", customer);
  expect(own).toMatchObject({ accounts: 1, app_passwords: 0, last: expect.stringMatching(/^\d{4}-/u) });
  expect(own.days).toHaveLength(14);
  const { body } = await get("/api/v1/domains");
  expect(body["others"]).toMatchObject({ successes: 0, failures: 1 });
  expect((await get("/api/v1/domains", customer)).body).not.toHaveProperty("others");
  const { out } = await runOperator(stack.url, ["domains", "show", "alias.test"]);
  expect(out).toContain("sign-ins of 14 days: 2 successes, 1 failures");
  expect(out).toMatch(/accounts since \S+, about: 1; with second factors: 1/u);
});
