import { join } from "node:path";
import { status as grpcStatus } from "@grpc/grpc-js";
import { fillPath, type Operation, operations } from "@postern/shared/contracts";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askPolicy } from "../../support/auth-policy.ts";
import { askDialect, basicOf, dialects } from "../../support/dialects.ts";
import { authMethod, type GrpcClient, grpcClient } from "../../support/grpc-client.ts";
import { runOperator } from "../../support/run-operator.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { demoBackends, merged } from "../../support/stack-config.ts";
import { type Customer, createRecords, customerPools, recordsQuery, startCustomer } from "./two-customers.ts";

const owned = new AsyncDisposableStack();
let stack: Stack;
let grpc: GrpcClient;
let b: Customer;
let records: ReturnType<typeof createRecords>;
let token: string;

const limited = basicOf("customer", "password-of-the-customer");
const ofSource = basicOf("of-source", "password-of-the-source");
const ofTwo = basicOf("reseller", "password-of-the-reseller");
const meansDefault = basicOf("old-server", "password-of-the-server");

/** Of the caller's domain, and of another, in each case with a name that nobody has. */
const own = "alice@example.test";
const outside = "eve@b.test";
/** Also of another domain; other callers ask about it. */
const foreign = "bob@b.test";
const nobody = "nobody@example.test";
const othersOutside = ["nobody@b.test", "nobody@nowhere.test", "Mallory@B.test", "nobody@xn--bcher-kva.test"];

beforeAll(async () => {
  b = await startCustomer(owned, [
    ["bob", foreign, "password-of-bob"],
    ["eve", outside, "password-of-eve"],
    ["zoe", "zoe@src.test", "password-of-zoe"],
  ]);
  const { path } = owned.use(await scratchFolder());
  const file = join(path, "domains.sqlite");
  records = owned.use(createRecords(file));
  records.put("src.test", { alias: "src-alias.test", backends: "ldap(a)" });
  records.put("torn.test", { backends: "ldap(gone)" });
  const [httpPort, grpcPort] = await Promise.all([freePort(), freePort()]);
  const issuer = `http://127.0.0.1:${httpPort}`;
  const demo = demoBackends(path);
  const ldap = customerPools(b, b);
  const list = {
    queries: {
      list_accounts: "SELECT username AS account FROM users",
    },
  };
  const [demoSearch] = Object(demo["sql"]).search;
  const [search] = ldap["search"] as object[];
  stack = owned.use(
    await startStack({
      redis: true,
      httpPort,
      services: ["admin", "idp"],
      backends: {
        ...demo,
        sql: {
          ...Object(demo["sql"]),
          pools: { domains: { file, busy_timeout: "200ms" } },
          search: [merged(demoSearch, list)],
        },
        ldap: {
          ...ldap,
          search: [merged(Object(search), { filter: { list_accounts: "(objectClass=inetOrgPerson)" } })],
        },
      },
      settings: {
        runtime: {
          servers: {
            http: { auth_policy_endpoint: true, rate_limit: { per_second: 10_000, burst: 10_000 } },
            grpc: { authority: { enabled: true, address: `127.0.0.1:${grpcPort}` } },
          },
        },
        observability: { decision_history: { enabled: true } },
        auth: {
          upstreams: { imap: { address: "192.0.2.1", port: 1143 } },
          domains: {
            records: [
              { name: "example.test", aliases: ["alias.test"] },
              { name: "b.test", backends: ["ldap(a)"] },
            ],
            source: { kind: "sql", pool: "domains", query: recordsQuery, backends: ["ldap(a)"] },
          },
          backchannel: {
            oidc_bearer: { enabled: true, issuer },
            callers: [
              { name: "customer", password: "password-of-the-customer", domains: ["Example.test"] },
              { name: "reseller", password: "password-of-the-reseller", domains: ["example.test", "b.test"] },
              { name: "of-source", password: "password-of-the-source", domains: ["src-alias.test"] },
              { name: "old-server", password: "password-of-the-server", default_domain: "example.test" },
            ],
          },
        },
        identity: {
          frontend: { enabled: true },
          oidc: {
            enabled: true,
            issuer,
            clients: [
              {
                client_id: "of-customer",
                client_secret: "secret-of-the-client",
                scopes: ["service:authenticate", "service:security"],
                grant_types: ["client_credentials"],
                domains: ["example.test"],
              },
            ],
          },
        },
      },
    }),
  );
  grpc = owned.use(grpcClient(`127.0.0.1:${grpcPort}`));
  const response = await fetch(`${issuer}/oidc/token`, {
    method: "POST",
    headers: { authorization: basicOf("of-customer", "secret-of-the-client") },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "service:authenticate service:security" }),
  });
  token = `Bearer ${Object(await response.json()).access_token}`;
});

afterAll(() => owned.disposeAsync());

interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer as a caller compares it with others: without what differs in each, and without the name that it sent. */
function seen(status: number, headers: Iterable<readonly [string, string]>, body: string, name: string): Seen {
  const kept = [...headers].map(([key, value]) => [key.toLowerCase(), value] as const);
  const varying = ["date", "x-service-session", "content-length", "keep-alive", "connection"];
  const plain = body
    .replaceAll(new RegExp(name.replaceAll(".", String.raw`\.`), "giu"), "NAME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "GUID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME");
  return { status, headers: Object.fromEntries(kept.filter(([key]) => !varying.includes(key))), body: plain };
}

/** Enough of a body for every operation about an account. */
const members = {
  totp_secret: "JBSWY3DPEHPK3PXP",
  codes: ["12345678"],
  credential: "{}",
  old_credential: "{}",
  id: "x",
};

async function askAbout(
  { method, path, concerns, request }: Operation,
  name: string,
  authorization: string,
): Promise<Seen> {
  const named = concerns !== undefined && "member" in concerns ? { [concerns.member]: name } : {};
  const inPath = concerns !== undefined && "in" in concerns && concerns.in === "path" ? named : {};
  const parameters = Object.fromEntries(Object.keys(request?.path?.properties ?? {}).map((key) => [key, "x"]));
  const query = concerns !== undefined && "in" in concerns && concerns.in === "query" ? named : {};
  const hasBody = request?.body !== undefined && method !== "get";
  const url = `${stack.url}${fillPath(path, { ...parameters, ...inPath })}?${new URLSearchParams(query)}`;
  const response = await fetch(url, {
    method: method.toUpperCase(),
    headers: { authorization, ...(hasBody && { "content-type": "application/json" }) },
    ...(hasBody && { body: JSON.stringify({ ...members, ...named }) }),
  });
  return seen(response.status, response.headers, await response.text(), name);
}

const ofCallers = operations.filter(
  ({ security, undocumented }) => (security === "backchannel" || security === "hook") && undocumented === undefined,
);
const aboutAccounts = ofCallers.filter(({ concerns }) => concerns?.of === "account" || concerns?.of === "subject");

describe("a caller that is limited to domains", () => {
  test.each(ofCallers.filter(({ concerns }) => concerns === undefined).map((one) => [one.operationId, one] as const))(
    "is refused %s, which concerns the site",
    async (_id, one) => {
      const answers = await Promise.all([limited, token].map((authorization) => askAbout(one, own, authorization)));
      expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    },
  );

  test.each(aboutAccounts.map((one) => [one.operationId, one] as const))(
    "asks %s about an account of another domain, and gets the answer about one that nobody has",
    async (_id, one) => {
      const found = await askAbout(one, outside, limited);
      // One after the other: an engine describes few accounts at the same time.
      for (const name of othersOutside) expect(await askAbout(one, name, limited)).toEqual(found);
      const unknown = await askAbout(one, nobody, limited);
      // Only the list of the domain's own backends differs.
      const [body, ofUnknown] = [found, unknown].map((answer) => answer.body.replace(/"backends":\[.*?\]\}\]/u, ""));
      expect({ ...found, body }).toEqual({ ...unknown, body: ofUnknown });
    },
  );

  test.each(["operations of its domain", "operations with a token"])("may use %s", async (which) => {
    const authorization = which.endsWith("token") ? token : limited;
    const body = { account: own };
    const account = await askAdmin(stack, "POST", "/api/v1/console/account", { body, headers: { authorization } });
    expect(account.body).toMatchObject({ account: own });
    const history = await askAdmin(stack, "GET", `/api/v1/console/history?account=${own}`, {
      headers: { authorization },
    });
    expect(history.status).toBe(200);
    const network = await askAdmin(stack, "GET", "/api/v1/console/history?network=203.0.113.9", {
      headers: { authorization },
    });
    expect(network.status).toBe(200);
    expect(JSON.stringify(network.body)).not.toContain(foreign.slice(foreign.indexOf("@")));
  });

  test("sees the suspensions of its domain", async () => {
    for (const username of [own, foreign])
      await askAdmin(stack, "POST", "/api/v1/suspensions", { body: { username, for: "1h" } });
    const listed = async (authorization: string) => {
      const { text } = await askAdmin(stack, "GET", "/api/v1/suspensions", { headers: { authorization } });
      return [own, foreign].map((name) => text.includes(name));
    };
    expect([await listed(limited), await listed(ofTwo), await listed(basicAuth)]).toEqual([
      [true, false],
      [true, true],
      [true, true],
    ]);
    for (const username of [own, foreign])
      await askAdmin(stack, "DELETE", "/api/v1/suspensions", { body: { username } });
  });

  test.each(dialects.filter((dialect) => dialect !== "basic"))(
    "signs in users of its domain only, with %s",
    async (dialect) => {
      const ask = async (username: string, password: string, authorization = limited) => {
        const answer = await askDialect(stack.url, dialect, { username, password, authorization });
        return seen(answer.status, answer.headers, answer.body, username);
      };
      const right = await ask(own, "alice-demo-password");
      expect(right.headers).toMatchObject({ "auth-status": "OK" });
      expect((await ask("alice@alias.test", "alice-demo-password")).headers).toMatchObject({ "auth-status": "OK" });
      expect((await ask("alice", "alice-demo-password")).headers).toMatchObject({ "auth-status": "OK" });
      const unknown = await ask(nobody, "password-of-bob");
      for (const name of [outside, "nobody@b.test", "eve@B.TEST", `${outside}*${own}`])
        expect(await ask(name, "password-of-eve")).toEqual(unknown);
      expect((await ask(foreign, "password-of-bob", ofTwo)).headers).toMatchObject({ "auth-status": "OK" });
    },
  );

  test("looks up and lists accounts of its domain only", async () => {
    const lookUp = async (username: string, authorization = limited) => {
      const body = { username, protocol: "imap" };
      const answer = await askAdmin(stack, "POST", "/api/v1/auth/json?mode=no-auth", {
        body,
        headers: { authorization },
      });
      return answer.status;
    };
    expect([await lookUp(own), await lookUp(outside), await lookUp(foreign, ofTwo)]).toEqual([200, 403, 200]);
    const list = async (authorization: string): Promise<unknown> => {
      const response = await fetch(`${stack.url}/api/v1/auth/json?mode=list-accounts`, {
        method: "POST",
        headers: { authorization, accept: "application/json", "content-type": "application/json" },
        body: JSON.stringify({ protocol: "imap" }),
      });
      return response.json();
    };
    expect(await list(limited)).toContain(own);
    expect(await list(limited)).not.toContain(outside);
    expect(b.heard("inetOrgPerson")).toBe(false);
    expect(await list(ofTwo)).toEqual(expect.arrayContaining([own, outside]));
  });

  test("is limited over gRPC too", async () => {
    const ask = async (username: string, password: string) => {
      const message = { username, password, protocol: "imap", client_ip: "203.0.113.9" };
      const { code, message: answer } = await grpc.call(authMethod("Authenticate"), message, {
        authorization: limited,
      });
      return [code, answer["ok"], answer["status_message"]];
    };
    expect((await ask(own, "alice-demo-password")).slice(0, 2)).toEqual([grpcStatus.OK, true]);
    expect(await ask(outside, "password-of-eve")).toEqual(await ask(nobody, "password-of-bob"));
    const lists = await Promise.all(
      [limited, ofTwo].map((authorization) =>
        grpc.call(authMethod("ListAccounts"), { protocol: "imap" }, { authorization }),
      ),
    );
    expect(lists.map(({ message }) => [own, outside].map((name) => Object(message).accounts.includes(name)))).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  test("asks and reports by the auth-policy protocol without effect on other domains, and resets nothing", async () => {
    await askAdmin(stack, "POST", "/api/v1/suspensions", { body: { username: foreign, for: "1h" } });
    const allow = (login: string, authorization: string) =>
      askPolicy(stack.url, "allow", { login, remote: "203.0.113.9", protocol: "imap", pwhash: "00" }, authorization);
    const [ofSite, ofCustomer, unknown] = [
      await allow(foreign, basicAuth),
      await allow(foreign, limited),
      await allow(nobody, limited),
    ];
    expect([ofSite.status, ofCustomer.body]).toEqual([-1, unknown.body]);
    expect((await askPolicy(stack.url, "reset", { login: own }, limited)).http).toBe(403);
    await askAdmin(stack, "DELETE", "/api/v1/suspensions", { body: { username: foreign } });
  });
});

test("the directory of the other domain heard of none of this", () => {
  expect([b.heard("eve"), b.heard("bob")]).toEqual([false, true]);
});

test("a caller's default domain completes names without one", async () => {
  const ask = (authorization: string) =>
    askDialect(stack.url, "json", { username: "alice", password: "alice-demo-password", authorization });
  expect([(await ask(meansDefault)).status, (await ask(basicAuth)).status]).toEqual([200, 403]);
});

test("a domain of the source limits a caller by name and alias", async () => {
  const ask = async (username: string, authorization: string) =>
    (await askDialect(stack.url, "json", { username, password: "password-of-zoe", authorization })).status;
  const names = ["zoe@src.test", "zoe@src-alias.test", "zoe"];
  expect(await Promise.all(names.map((name) => ask(name, ofSource)))).toEqual([200, 200, 200]);
  expect(await ask("zoe@src.test", limited)).toBe(403);
});

describe("records of domains", () => {
  const postern = (...args: readonly string[]) => runOperator(stack.url, args);

  test("are listed page by page, each caller its own; the source is not", async () => {
    const page = async (authorization: string, query = "") =>
      (await askAdmin(stack, "GET", `/api/v1/domains${query}`, { headers: { authorization } })).body;
    const first = await page(basicAuth, "?limit=1");
    expect(first).toMatchObject({
      domains: [{ name: "b.test", backends: ["ldap(a)"] }],
      next: "b.test",
      source: "sql",
    });
    expect(await page(basicAuth, "?limit=1&cursor=b.test")).toMatchObject({ domains: [{ name: "example.test" }] });
    expect(await page(limited)).toMatchObject({ domains: [{ name: "example.test", backends: ["sql"] }] });
    expect(await page(ofSource)).toMatchObject({ domains: [] });
    const { code, out } = await postern("domains", "list");
    expect(code).toBe(0);
    for (const part of ["example.test", "alias.test", "ldap(a)", "not listed"]) expect(out).toContain(part);
  });

  test("are shown with their origin, and only to callers of the domain", async () => {
    const show = (name: string, authorization = basicAuth) =>
      askAdmin(stack, "GET", `/api/v1/domains/${encodeURIComponent(name)}`, { headers: { authorization } });
    expect((await show("ALIAS.test")).body).toMatchObject({
      name: "example.test",
      found_as: "alias",
      origin: "records",
    });
    expect((await show("src-alias.test")).body).toMatchObject({
      name: "src.test",
      origin: "source",
      backends: [{ name: "ldap(a)", is_configured: true }],
      record: { name: "src.test" },
    });
    expect((await show("src.test", ofSource)).status).toBe(200);
    const statuses = [
      await show("nowhere.test"),
      await show("not a domain"),
      await show("b.test", limited),
      await show("nowhere.test", limited),
    ];
    expect(statuses.map(({ status }) => status)).toEqual([404, 400, 403, 403]);
    expect((await postern("domains", "show", "src-alias.test")).out).toContain("record of auth.domains.source");
    expect(await postern("domains", "show", "nowhere.test")).toMatchObject({ code: 1 });
  });

  test("are checked for names, with the backends that each reaches", async () => {
    const good = await postern("domains", "check", "Ann@ALIAS.test", "src.test");
    expect(good).toMatchObject({ code: 0, err: "" });
    for (const part of ["Ann@example.test", "ldap(a)", "source"]) expect(good.out).toContain(part);
    const bad = await postern("domains", "check", "x@torn.test", "x@nowhere.test", "x@_", "--json");
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out).map((one: { problem: string }) => one.problem)).toEqual([
      "backends that are not configured: ldap(gone)",
      "the site does not serve this domain",
      "not a domain name",
    ]);
    expect((await postern("domains", "check")).code).toBe(2);
  });

  test("are named by postern why", async () => {
    expect((await postern("why", own)).out).toContain(
      "domain example.test: record in the configuration; backends: sql",
    );
    expect((await postern("why", "x@nowhere.test")).out).toContain("domain nowhere.test: not served");
  });

  test("are read again after a flush", async () => {
    const enabled = async () => (await askAdmin(stack, "GET", "/api/v1/domains/src.test")).body["enabled"];
    expect(await enabled()).toBe(true);
    records.put("src.test", { alias: "src-alias.test", backends: "ldap(a)", enabled: 0 });
    expect(await enabled()).toBe(true);
    const flushed = await postern("flush", "--domain", "src-alias.test");
    expect(flushed).toMatchObject({ code: 0, out: expect.stringContaining("read again") });
    await poll("the record is read again", async () => (await enabled()) === false);
    const status = async () =>
      (await askDialect(stack.url, "json", { username: "zoe@src.test", password: "password-of-zoe" })).status;
    await poll("the domain is disabled", async () => (await status()) === 403);
    const path = "/api/v1/cache/flush/domain";
    const asked = [
      await askAdmin(stack, "DELETE", path, { body: { domain: "b.test" }, headers: { authorization: limited } }),
      await askAdmin(stack, "DELETE", path, { body: {}, headers: { authorization: limited } }),
      await askAdmin(stack, "DELETE", path, { body: { domain: "no domain" } }),
      await askAdmin(stack, "DELETE", path, { body: {} }),
    ];
    expect(asked.map(({ status: code }) => code)).toEqual([403, 403, 400, 200]);
    expect((await postern("flush", own, "--domain", "b.test")).code).toBe(2);
  });
});
