/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { askPolicy } from "../../support/auth-policy.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";
import { type Customer, createRecords, customerPools, recordsQuery, startCustomer } from "./two-customers.ts";

const owned = new AsyncDisposableStack();
let stack: Stack;
let a: Customer;
let b: Customer;
let records: ReturnType<typeof createRecords>;

const ann = ["ann", "ann@a.test", "password-of-ann"] as const;
/** In the form of an app password, so that no backend gets it as a password. */
const unknownAppPassword = "app-careed-emeapp-asswer-dferca-reprgj";
const bob = ["bob", "bob@b.test", "password-of-bob"] as const;

beforeAll(async () => {
  a = await startCustomer(owned, [ann, ["old", "old@alias.test", "password-of-old"]]);
  b = await startCustomer(owned, [
    bob,
    ["ann", "ann@b.test", "password-of-the-other-ann"],
    ["eve@a.test", "eve@b.test", "password-of-eve"],
    ["zoe", "zoe@sql.test,ann@a.test,zoe@sql-alias.test,zoe@partner.test", "password-of-zoe"],
    ["max", "max@new.test", "password-of-max"],
  ]);
  const { path } = owned.use(await scratchFolder());
  const file = join(path, "domains.sqlite");
  records = owned.use(createRecords(file));
  records.put("sql.test", { alias: "sql-alias.test", backends: "ldap(b)", attributes: '{"tenant":"seven"}' });
  records.put("gone.test", { enabled: 0, message: "The contract has ended." });
  stack = owned.use(
    await startStack({
      redis: true,
      engines: 2,
      services: ["admin"],
      backends: (folder) => {
        const { sql } = Object(demoBackends(folder));
        return {
          order: ["sql"],
          sql: { ...sql, pools: { domains: { file, busy_timeout: "200ms" } } },
          ldap: customerPools(a, b),
        };
      },
      settings: {
        runtime: { servers: { http: { auth_policy_endpoint: true } } },
        auth: {
          pipeline: {
            master_user: { enabled: true, users: ["ann@a.test", "root"] },
          },
          policy: {
            policies: [
              {
                name: "no pop3 for tenant seven",
                if: {
                  all: [
                    { attribute: "auth.domain.attribute.tenant", contains: "seven" },
                    { attribute: "request.protocol", eq: "pop3" },
                  ],
                },
                then: { decision: "deny" },
              },
            ],
          },
          domains: {
            records: [
              { name: "a.test", aliases: ["alias.test", "bücher.test"], backends: ["ldap(a)"] },
              { name: "b.test", backends: ["ldap(b)"], protocols: ["imap"] },
              { name: "off.test", enabled: false, message: "Closed for maintenance." },
              { name: "tokens.test", backends: ["ldap(b)"], mail_credentials: "tokens" },
              { name: "example.test" },
            ],
            source: { kind: "sql", pool: "domains", query: recordsQuery, backends: ["ldap(b)"], lifetime: "1s" },
            addresses: { domains: ["Partner.test"] },
          },
        },
      },
    }),
  );
});

afterAll(() => owned.disposeAsync());

interface SignIn {
  readonly password?: string;
  readonly protocol?: string;
}

async function signIn(
  username: string,
  { password = `password-of-${username.split("@")[0]}`, protocol = "imap" }: SignIn = {},
) {
  const body = { username, password, protocol, client_ip: "203.0.113.9" };
  const { status, headers } = await askJson(stack.url, body);
  return { status, account: headers.get("auth-user"), error: headers.get("auth-status") };
}

/** The addresses that mail servers and applications learn. */
async function addressesOf(username: string): Promise<unknown> {
  const password = `password-of-${username.split("@")[0]}`;
  const { body } = await askJson(stack.url, { username, password, protocol: "imap", client_ip: "203.0.113.9" });
  return JSON.parse(body).attributes.mail;
}

describe("a password reaches the directory of its domain only", () => {
  test("of two customers", async () => {
    expect(await signIn("ann@a.test")).toMatchObject({ status: 200, account: "ann@a.test" });
    expect(await signIn("bob@b.test")).toMatchObject({ status: 200, account: "bob@b.test" });
    expect((await signIn("bob@b.test", { password: "wrong-of-bob" })).status).toBe(403);
    expect([a.heard("bob", "wrong-of-bob"), b.heard("password-of-ann", "ann@a.test")]).toEqual([false, false]);
    expect([a.heard("password-of-ann"), b.heard("password-of-bob")]).toEqual([true, true]);
  });

  test("of a domain without backends of its own", async () => {
    const found = await signIn("alice@example.test", { password: "alice-demo-password" });
    expect(found).toMatchObject({ status: 200, account: "alice@example.test" });
    expect([a.heard("alice"), b.heard("alice")]).toEqual([false, false]);
  });

  test.each(["x@nowhere.test", "x@sub.a.test", "nobody-without-a-domain", "x@"])(
    "of %s, which no domain serves",
    async (name) => {
      const unknown = await signIn("nobody@a.test", { password: "guess-at-nowhere" });
      expect(await signIn(name, { password: "guess-at-nobody" })).toEqual(unknown);
      expect([a.heard(name, "guess-at-nobody"), b.heard(name, "guess-at-nobody")]).toEqual([false, false]);
    },
  );
});

test("accounts named alike by two directories are two accounts", async () => {
  const other = await signIn("ann@b.test", { password: "password-of-the-other-ann" });
  expect([other, await signIn("ann@a.test")]).toMatchObject([
    { status: 200, account: "ann@b.test" },
    { status: 200, account: "ann@a.test" },
  ]);
});

describe("an alias", () => {
  test.each(["ann@alias.test", "ann@ALIAS.test", "ann@bücher.test", "ann@xn--bcher-kva.test"])(
    "%s is the account of the domain",
    async (name) => {
      expect(await signIn(name)).toMatchObject({ status: 200, account: "ann@a.test" });
    },
  );

  test("names an account that is stored under it, which keeps its name", async () => {
    for (const name of ["old@alias.test", "old@a.test"])
      expect(await signIn(name)).toMatchObject({ status: 200, account: "old@alias.test" });
  });

  test("is flushed with its account", async () => {
    await signIn("ann@alias.test");
    const { body } = await askAdmin(stack, "DELETE", "/api/v1/cache/flush", { body: { user: "ann@alias.test" } });
    expect(body).toMatchObject({ result: { status: expect.stringMatching(/flushed$/u) } });
  });
});

test("a directory that names an account of another domain signs nobody in", async () => {
  expect((await signIn("eve@b.test")).status).toBe(500);
  await poll("the log", () => stack.engines.some((engine) => engine.output().includes("an account of another domain")));
  expect((await signIn("eve@a.test")).status).toBe(403);
});

test("a customer's directory gives its accounts no address of another customer", async () => {
  expect(await addressesOf("zoe@sql.test")).toEqual(["zoe@sql.test", "zoe@sql-alias.test", "zoe@partner.test"]);
  const line = "an address of another domain";
  await poll("the log", () => stack.engines.some((engine) => engine.output().includes(line)));
  expect(await addressesOf("ann@a.test")).toEqual(["ann@a.test"]);
});

test.each(["ann", "nobody"])("a wrong app password of %s is sought under every alias, known or not", async (local) => {
  const sent = () => a.recorder.sent.join("").split(`${local}@alias.test`).length;
  const before = sent();
  expect((await signIn(`${local}@a.test`, { password: unknownAppPassword })).status).toBe(403);
  expect(sent()).toBe(before + 1);
});

test("a domain that is not enabled says so, before any backend is queried", async () => {
  expect(await signIn("ann@off.test")).toMatchObject({ status: 403, error: "Closed for maintenance." });
  expect(await signIn("ann@gone.test")).toMatchObject({ status: 403, error: "The contract has ended." });
  expect([a.heard("off.test"), b.heard("off.test"), a.heard("gone.test")]).toEqual([false, false, false]);
  const answer = await askPolicy(stack.url, "allow", {
    login: "ann@off.test",
    remote: "203.0.113.9",
    protocol: "imap",
    pwhash: "00",
  });
  expect(answer.status).toBeLessThan(0);
});

test("a domain limits protocols and credentials", async () => {
  expect((await signIn("bob@b.test", { protocol: "smtp" })).status).toBe(403);
  expect((await signIn("bob@tokens.test")).status).toBe(403);
  expect(b.heard("bob@tokens.test")).toBe(false);
});

const asMaster = (user: string) => signIn(`${user}*ann@a.test`, { password: "password-of-ann" });

test("a master user of a domain opens no account of another", async () => {
  expect(await asMaster("old@alias.test")).toMatchObject({ status: 200, account: "old@alias.test" });
  expect((await asMaster("bob@b.test")).status).toBe(403);
  expect((await asMaster("alice@example.test")).status).toBe(403);
});

const asRoot = (user: string) => signIn(`${user}*root`, { password: "alice-demo-password" });

test("a master user without a domain is verified by the site's backends, and opens accounts of all domains", async () => {
  const database = new DatabaseSync(join(stack.folder, "directory.sqlite"));
  database.exec(
    "INSERT INTO users (username, password, display_name, mail, uid, enabled) SELECT 'root', password, 'root', 'root', 'root', 1 FROM users WHERE username = 'alice@example.test'",
  );
  database.close();
  expect(await asRoot("bob@b.test")).toMatchObject({ status: 200, account: "bob@b.test" });
  expect((await asRoot("ann@off.test")).status).toBe(403);
  expect([a.heard("root*", "alice-demo-password"), b.heard("alice-demo-password")]).toEqual([false, false]);
});

/** Waits until both engines answer so: each gets a share of many requests at once. */
const everywhere = (name: string, password: string, status: number): Promise<unknown> =>
  poll(`${name} is ${status} at both engines`, async () => {
    const found = await Promise.all(Array.from({ length: 48 }, () => signIn(name, { password })));
    return found.every((one) => one.status === status);
  });

describe("the source", () => {
  test("decides by name and alias, and its attributes are facts of policies", async () => {
    for (const name of ["zoe@sql.test", "zoe@sql-alias.test"])
      expect(await signIn(name)).toMatchObject({ status: 200, account: "zoe@sql.test" });
    expect((await signIn("zoe@sql.test", { protocol: "pop3" })).status).toBe(403);
    expect(a.heard("zoe", "password-of-zoe")).toBe(false);
  });

  test("may change: a new record counts within the lifetime of the old one", async () => {
    expect((await signIn("max@new.test")).status).toBe(403);
    records.put("new.test", { backends: "ldap(b)" });
    await everywhere("max@new.test", "password-of-max", 200);
    records.put("new.test", { enabled: 0, message: "Moved." });
    await everywhere("max@new.test", "password-of-max", 403);
    await poll("the text", async () => (await signIn("max@new.test")).error === "Moved.");
  });

  test("that does not answer makes new domains undecidable; known ones go on", async () => {
    await everywhere("ann@gone.test", "guess", 403);
    records.database.exec("BEGIN EXCLUSIVE");
    try {
      await everywhere("ann@never-seen.test", "guess", 500);
      expect(await signIn("ann@gone.test")).toMatchObject({ status: 403, error: "The contract has ended." });
      expect(await signIn("ann@a.test")).toMatchObject({ status: 200 });
    } finally {
      records.database.exec("ROLLBACK");
    }
    await everywhere("ann@never-seen.test", "guess", 403);
  });
});

test("a customer's directory that is away concerns its own domains, and leaves engines healthy", async () => {
  await b.slapd.kill();
  expect((await signIn("bob@b.test", { password: "guess" })).status).toBe(500);
  expect((await signIn("ann@a.test")).status).toBe(200);
  const { body } = await poll("the report", async () => {
    const report = await askAdmin(stack, "GET", "/api/v1/console/system");
    return JSON.stringify(report.body["backends"]).includes("down") && report;
  });
  expect(body["backends"]).toContainEqual(expect.objectContaining({ name: "ldap ldap(b)", of_domains: true }));
  expect(body["services"]).toContainEqual(expect.objectContaining({ service: "auth-engine", state: "up" }));
  const findings = [...Object(body["findings"])].filter(({ subject }) => subject.startsWith("backend"));
  expect(findings.map(({ severity }) => severity)).toEqual(["warning"]);
  const counted = /outcome="domain_unavailable"\} [1-9]/u;
  await poll("the metric", async () =>
    (await Promise.all(stack.engines.map((engine) => engine.metrics()))).some((text) => counted.test(text)),
  );
});
