import { status as grpcStatus } from "@grpc/grpc-js";
import { operations } from "@postern/shared/contracts";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askPolicy } from "../../support/auth-policy.ts";
import { askDialect, dialects } from "../../support/dialects.ts";
import { authMethod } from "../../support/grpc-client.ts";
import { runOperator } from "../../support/run-operator.ts";
import { basicAuth } from "../../support/stack.ts";
import {
  askAbout,
  foreign,
  limited,
  listAccounts,
  meansDefault,
  nobody,
  ofSource,
  ofTwo,
  othersOutside,
  outside,
  own,
  seen,
  startCallersSite,
  suspendedOf,
} from "./callers-site.ts";

const owned = new AsyncDisposableStack();
let site: Awaited<ReturnType<typeof startCallersSite>>;

beforeAll(async () => {
  site = await startCallersSite(owned);
});

const postern = (...args: readonly string[]) => runOperator(site.stack.url, args);

const page = async (authorization: string, query = "") =>
  (await askAdmin(site.stack, "GET", `/api/v1/domains${query}`, { headers: { authorization } })).body;

const show = (name: string, authorization = basicAuth) =>
  askAdmin(site.stack, "GET", `/api/v1/domains/${encodeURIComponent(name)}`, { headers: { authorization } });

const enabled = async () => (await askAdmin(site.stack, "GET", "/api/v1/domains/src.test")).body["enabled"];

const lookUp = async (username: string, authorization = limited) => {
  const body = { username, protocol: "imap" };
  const answer = await askAdmin(site.stack, "POST", "/api/v1/auth/json?mode=no-auth", {
    body,
    headers: { authorization },
  });
  return answer.status;
};

const askGrpc = async (username: string, password: string) => {
  const message = { username, password, protocol: "imap", client_ip: "203.0.113.9" };
  const { code, message: answer } = await site.grpc.call(authMethod("Authenticate"), message, {
    authorization: limited,
  });
  return [code, answer["ok"], answer["status_message"]];
};

afterAll(() => owned.disposeAsync());

const ofCallers = operations.filter((one) => /^(?:backchannel|hook)$/u.test(one.security) && !one.undocumented);
const aboutAccounts = ofCallers.filter(({ concerns }) => concerns?.of === "account" || concerns?.of === "subject");

describe("a caller that is limited to domains", () => {
  test.each(ofCallers.filter(({ concerns }) => concerns === undefined).map((one) => [one.operationId, one] as const))(
    "is refused %s, which concerns the site",
    async (_id, one) => {
      const answers = await Promise.all(
        [limited, site.token].map((authorization) => askAbout(site.stack.url, one, own, authorization)),
      );
      expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    },
  );

  test.each(aboutAccounts.map((one) => [one.operationId, one] as const))(
    "asks %s about an account of another domain, and gets the answer about one that nobody has",
    async (_id, one) => {
      const found = await askAbout(site.stack.url, one, outside, limited);
      // One after the other: an engine describes few accounts at the same time.
      for (const name of othersOutside) expect(await askAbout(site.stack.url, one, name, limited)).toEqual(found);
      const unknown = await askAbout(site.stack.url, one, nobody, limited);
      // Only the list of the domain's own backends differs.
      const [body, ofUnknown] = [found, unknown].map((answer) => answer.body.replace(/"backends":\[.*?\]\}\]/u, ""));
      expect({ ...found, body }).toEqual({ ...unknown, body: ofUnknown });
    },
  );

  test.each(["operations of its domain", "operations with a token"])("may use %s", async (which) => {
    const authorization = which.endsWith("token") ? site.token : limited;
    const body = { account: own };
    const account = await askAdmin(site.stack, "POST", "/api/v1/console/account", { body, headers: { authorization } });
    expect(account.body).toMatchObject({ account: own });
    const history = await askAdmin(site.stack, "GET", `/api/v1/console/history?account=${own}`, {
      headers: { authorization },
    });
    expect(history.status).toBe(200);
    const network = await askAdmin(site.stack, "GET", "/api/v1/console/history?network=203.0.113.9", {
      headers: { authorization },
    });
    expect(network.status).toBe(200);
    expect(JSON.stringify(network.body)).not.toContain(foreign.slice(foreign.indexOf("@")));
  });

  test("sees the suspensions of its domain, and leaves those of the site in force", async () => {
    const change = (method: string, username: string, authorization = basicAuth) =>
      askAdmin(site.stack, method, "/api/v1/suspensions", {
        body: { username, for: "1h" },
        headers: { authorization },
      });
    for (const username of [own, foreign]) await change("POST", username);
    const listed = await Promise.all([limited, ofTwo, basicAuth].map((caller) => suspendedOf(site.stack, caller)));
    expect(listed.map(String)).toEqual(["true,false", "true,true", "true,true"]);
    const refused = [await change("POST", own, limited), await change("DELETE", own, site.token)];
    for (const username of [own, foreign]) await change("DELETE", username);
    const done = [await change("POST", own, limited), await change("DELETE", own, ofTwo)];
    expect([...refused, ...done].map(({ status }) => status)).toEqual([403, 403, 200, 200]);
  });

  test.each(dialects.filter((dialect) => dialect !== "basic"))(
    "signs in users of its domain only, with %s",
    async (dialect) => {
      const ask = async (username: string, password: string, authorization = limited) => {
        const answer = await askDialect(site.stack.url, dialect, { username, password, authorization });
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
    expect([await lookUp(own), await lookUp(outside), await lookUp(foreign, ofTwo)]).toEqual([200, 403, 200]);
    expect(await listAccounts(site.stack, limited)).toContain(own);
    expect(await listAccounts(site.stack, limited)).not.toContain(outside);
    expect(site.b.heard("inetOrgPerson")).toBe(false);
    expect(await listAccounts(site.stack, ofTwo)).toEqual(expect.arrayContaining([own, outside]));
  });

  test("is limited over gRPC too", async () => {
    expect((await askGrpc(own, "alice-demo-password")).slice(0, 2)).toEqual([grpcStatus.OK, true]);
    expect(await askGrpc(outside, "password-of-eve")).toEqual(await askGrpc(nobody, "password-of-bob"));
    const lists = await Promise.all(
      [limited, ofTwo].map((authorization) =>
        site.grpc.call(authMethod("ListAccounts"), { protocol: "imap" }, { authorization }),
      ),
    );
    expect(lists.map(({ message }) => [own, outside].map((name) => Object(message).accounts.includes(name)))).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  test("asks and reports by the auth-policy protocol without effect on other domains, and resets nothing", async () => {
    await askAdmin(site.stack, "POST", "/api/v1/suspensions", { body: { username: foreign, for: "1h" } });
    const allow = (login: string, authorization: string) =>
      askPolicy(
        site.stack.url,
        "allow",
        { login, remote: "203.0.113.9", protocol: "imap", pwhash: "00" },
        authorization,
      );
    const [ofSite, ofCustomer, unknown] = [
      await allow(foreign, basicAuth),
      await allow(foreign, limited),
      await allow(nobody, limited),
    ];
    expect([ofSite.status, ofCustomer.body]).toEqual([-1, unknown.body]);
    expect((await askPolicy(site.stack.url, "reset", { login: own }, limited)).http).toBe(403);
    await askAdmin(site.stack, "DELETE", "/api/v1/suspensions", { body: { username: foreign } });
  });
});

test("the directory of the other domain heard of none of this", () => {
  expect([site.b.heard("eve"), site.b.heard("bob")]).toEqual([false, true]);
});

const askAlice = (authorization: string) =>
  askDialect(site.stack.url, "json", { username: "alice", password: "alice-demo-password", authorization });

test("a caller reads and flushes its own record only, whatever stands before its name", async () => {
  for (const name of ["?", "/", "#", "\\", "@", ""].map((mark) => `${mark && `b.test${mark}@`}example.test`)) {
    const ask = { body: { domain: name }, headers: { authorization: limited } };
    const flush = await askAdmin(site.stack, "DELETE", "/api/v1/cache/flush/domain", ask);
    const code = name === "example.test" ? 200 : 403;
    expect([(await show(name, limited)).status, flush.status]).toEqual([code, code]);
  }
});

test.each([meansDefault, limited])("a default domain completes no reference", async (authorization) => {
  const ask = { headers: { authorization } };
  const { body } = await askAdmin(site.stack, "GET", "/api/v1/console/risk?query=0f0f0f0f-0f0f", ask);
  expect(body["incomplete"]).toEqual([expect.stringContaining("no sign-in with this reference")]);
});

test("a caller's default domain completes names without one", async () => {
  expect([(await askAlice(meansDefault)).status, (await askAlice(basicAuth)).status]).toEqual([200, 403]);
});

const askZoe = async (username: string, authorization: string) =>
  (await askDialect(site.stack.url, "json", { username, password: "password-of-zoe", authorization })).status;

test("a domain of the source limits a caller by name and alias", async () => {
  const names = ["zoe@src.test", "zoe@src-alias.test", "zoe"];
  expect(await Promise.all(names.map((name) => askZoe(name, ofSource)))).toEqual([200, 200, 200]);
  expect(await askZoe("zoe@src.test", limited)).toBe(403);
});

describe("records of domains", () => {
  test("are listed page by page, each caller its own; the source is not", async () => {
    const first = await page(basicAuth, "?limit=1");
    expect(first).toMatchObject({
      domains: [{ name: "b.test", backends: [{ name: "ldap(a)" }] }],
      next: "b.test",
      source: "sql",
    });
    expect(await page(basicAuth, "?limit=1&cursor=b.test")).toMatchObject({ domains: [{ name: "example.test" }] });
    expect(await page(limited)).toMatchObject({ domains: [{ name: "example.test", backends: [{ name: "sql" }] }] });
    expect(await page(ofSource)).toMatchObject({ domains: [{ name: "src.test", origin: "source" }] });
    const { code, out } = await postern("domains", "list");
    expect(code).toBe(0);
    for (const part of ["example.test", "alias.test", "ldap(a)", "not listed"]) expect(out).toContain(part);
  });

  test("are shown with their origin, and only to callers of the domain", async () => {
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
    expect(await enabled()).toBe(true);
    site.records.put("src.test", { alias: "src-alias.test", backends: "ldap(a)", enabled: 0 });
    expect(await enabled()).toBe(true);
    const flushed = await postern("flush", "--domain", "src-alias.test");
    expect(flushed).toMatchObject({ code: 0, out: expect.stringContaining("read again") });
    await poll("the record is read again", async () => (await enabled()) === false);
    const status = async () =>
      (await askDialect(site.stack.url, "json", { username: "zoe@src.test", password: "password-of-zoe" })).status;
    await poll("the domain is disabled", async () => (await status()) === 403);
    const path = "/api/v1/cache/flush/domain";
    const answers = [
      await askAdmin(site.stack, "DELETE", path, { body: { domain: "b.test" }, headers: { authorization: limited } }),
      await askAdmin(site.stack, "DELETE", path, { body: {}, headers: { authorization: limited } }),
      await askAdmin(site.stack, "DELETE", path, { body: { domain: "no domain" } }),
      await askAdmin(site.stack, "DELETE", path, { body: {} }),
    ];
    expect(answers.map(({ status: code }) => code)).toEqual([403, 403, 400, 200]);
    expect((await postern("flush", own, "--domain", "b.test")).code).toBe(2);
  });
});
