import { DatabaseSync } from "node:sqlite";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { poll, redisUserOf } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type CommandResult, runOperator } from "../../support/run-operator.ts";
import { basicAuth } from "../../support/stack.ts";
import { assertionSecret } from "../../support/stack-config.ts";
import { totpCode } from "../../support/totp-code.ts";
import { issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

const home = "/mfa/register/home";
const bob = { username: "bob@example.test", password: "bob-demo-password" };
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const nobody = { username: "nobody@example.test", password: "x" };
const rule = { name: "wide", period: "10m", ban_time: "9m", cidr: 24, failed_requests: 3, ipv4: true, ipv6: true };

let idp: IdpStack;

beforeAll(async () => {
  const brute_force = { buckets: [rule] };
  idp = await startIdpStack(
    {
      auth: { controls: { enabled: ["brute_force"], brute_force } },
      identity: {
        oidc: {
          enabled: true,
          issuer,
          clients: [publicClient("delayed", { delayed_response: true, supported_mfa: ["totp"] })],
        },
      },
    },
    { shape: "five" },
  );
  // `postern why` queries admin for bans if no failure is stored.
  await idp.stack.start("admin");
});

afterAll(() => idp[Symbol.asyncDispose]());

async function signIn(browser: Browser, user: Record<string, string>): Promise<Page> {
  return browser.submit(await browser.open(home), user);
}

const alertIn = ({ text: html }: Page): string => /role="alert" id="problem">([^<]+)</.exec(html)?.[1] ?? "";
const referenceIn = ({ text: html }: Page): string => /class="reference">[^<]+<code>([^<]+)</.exec(html)?.[1] ?? "";

/** Tries each of these sign-ins. @returns the messages on the pages */
async function tryAll(clientIp: string, users: readonly Record<string, string>[]): Promise<readonly string[]> {
  const alerts: string[] = [];
  for (const user of users) alerts.push(alertIn(await signIn(createBrowser(idp.replicas, clientIp), user)));
  return alerts;
}

const wrong = (password: string) => ({ ...alice, password });
const output = (): readonly string[] =>
  idp.processes.flatMap((service) => service.output().split("\n")).filter((line) => line.startsWith("{"));
const linesOf = (clientIp: string) =>
  output()
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter((line) => line["client_ip"] === clientIp && line["reason"] === "blocked");

const postern = (operand: string): Promise<CommandResult> => runOperator(idp.stack.url, ["why", operand]);

const failed = "Incorrect username or password.";
// Nine minutes, rounded up; an engine's estimate of the time of Redis may be a second late.
const blocked = /^Too many failed sign-in attempts from your network\. Try again in (?:8|9|10) minutes\.$/;

describe("a blocked network", () => {
  test("sees that it is blocked, from the attempt that causes the ban on, whatever the user name and password", async () => {
    const alerts = await tryAll("203.0.113.77", [wrong("one"), wrong("two"), wrong("three")]);
    expect(alerts).toEqual([failed, failed, expect.stringMatching(blocked)]);
    const pages = await tryAll("203.0.113.78", [alice, wrong("four"), nobody]);
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toMatch(blocked);
    const german = await createBrowser(idp.replicas, "203.0.113.77").open(`${home}/de`);
    expect(german.status).toBe(200);
  });

  test("sees the remaining time in the user's language", async () => {
    await tryAll("198.51.100.7", [wrong("one"), wrong("two"), wrong("three")]);
    const browser = createBrowser(idp.replicas, "198.51.100.7");
    const page = await browser.submit(await browser.open(`${home}/ru`), alice);
    expect(alertIn(page)).toMatch(/через (?:8|9|10) минут\.$/);
  });

  test("causes one log line and one audit record with the rule, and a reference that `postern why` finds", async () => {
    await tryAll("192.0.2.200", [wrong("one"), wrong("two"), wrong("three")]);
    const browser = createBrowser(idp.replicas, "192.0.2.200");
    const page = await signIn(browser, alice);
    const reference = referenceIn(page);
    expect(reference).toMatch(/^[\w-]{8,}$/);
    await poll("both log lines", () => linesOf("192.0.2.200").length >= 2);
    const lines = linesOf("192.0.2.200");
    expect(lines.filter(({ msg }) => msg === "sign-in decided")).toMatchObject([
      {
        dialect: "idp",
        step: "password",
        outcome: "blocked",
        reason: "blocked",
        rule: "wide",
        client_ip: "192.0.2.200",
      },
    ]);
    expect(lines.filter(({ event }) => event === "user.login")).toMatchObject([
      { audit: true, outcome: "denied", method: "password", reason: "blocked", rule: "wide" },
    ]);
  });
});

/** One attempt for the application with `delayed_response`. @returns the page that follows */
async function tryDelayed(clientIp: string, user: Record<string, string>): Promise<Page> {
  const browser = createBrowser(idp.replicas, clientIp);
  return passwordStep(browser, "delayed", user);
}

const bobs = (password: string) => ({ ...bob, password });
const placeOf = ({ status, url }: Page): readonly unknown[] => [status, url.replace(/\?.*/, "")];

describe("a blocked network that signs in to an application with `delayed_response`", () => {
  test("gets the same response to the attempt that causes the ban, whether the password was correct or wrong", async () => {
    for (const [clientIp, last] of [
      ["198.18.1.5", bobs("three")],
      ["198.18.2.5", bob],
    ] as const) {
      for (const filler of ["one", "two"]) await tryDelayed(clientIp, bobs(filler));
      const page = await tryDelayed(clientIp, last);
      expect([clientIp, ...placeOf(page), alertIn(page)]).toEqual([clientIp, 200, "/login/totp", ""]);
    }
    // A network that is already blocked gets that response too.
    for (const user of [bob, bobs("four")])
      expect(placeOf(await tryDelayed("198.18.1.5", user))).toEqual([200, "/login/totp"]);
  });

  test("sees immediately that it is blocked if the account is unknown or has no second factor", async () => {
    for (const filler of ["one", "two", "three"]) await tryDelayed("198.18.3.5", wrong(filler));
    for (const user of [alice, wrong("four"), nobody]) {
      expect(alertIn(await tryDelayed("198.18.3.5", user))).toMatch(blocked);
    }
  });
});

/** Signs in through the gateway, which gives each request a GUID. */
async function signInThroughGateway(user: Record<string, string>): Promise<Page> {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit = {}): Promise<Page> => {
    const headers = { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") };
    const response = await fetch(`${idp.stack.url}${path}`, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location") ?? undefined;
    return { status: response.status, url: path, headers: response.headers, text: await response.text(), location };
  };
  const { location = "" } = await send(home);
  const login = await send(location);
  const [, csrf_token = ""] = /name="csrf_token" value="([^"]+)"/.exec(login.text) ?? [];
  return send("/login", { method: "POST", body: new URLSearchParams({ csrf_token, ...user }) });
}

/** Log lines of sign-ins of an account that failed without a decision. */
const undecidedOf = (account: string) =>
  output()
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(
      (line) => line["msg"] === "sign-in decided" && line["outcome"] === "undecided" && line["account"] === account,
    );

describe("a sign-in that fails after its password or code was correct", () => {
  test("because the second factors are unreadable is logged and has a reference that `postern why` finds", async () => {
    using backend = new DatabaseSync(idp.directoryFile);
    backend.exec("ALTER TABLE postern_recovery_codes RENAME TO recovery_codes_elsewhere");
    const page = await signInThroughGateway(alice);
    backend.exec("ALTER TABLE recovery_codes_elsewhere RENAME TO postern_recovery_codes");
    expect(page.status).toBe(500);
    const reference = referenceIn(page);
    await poll("the stored reference", async () =>
      (await postern(reference)).out.includes("failed: temporary failure ("),
    );
    expect((await postern(reference)).out).toMatch(/account +alice@example\.test\n/);
    await poll("the log line", () => undecidedOf(alice.username).length > 0);
    expect(undecidedOf(alice.username)).toMatchObject([{ step: "password", reason: "DIRECTORY_UNAVAILABLE" }]);
  });

  test("because no session can be created is logged", async () => {
    const redis = await testRedis(idp.stack.redis?.port ?? 0);
    const browser = createBrowser(idp.replicas, "198.18.4.5");
    const choice = await browser.open((await signIn(browser, bob)).location ?? "");
    const factor = await browser.get(choice.url.replace("/login/mfa", "/login/totp"));
    // Sessions can be read but not written.
    const user = redisUserOf("idp");
    await redis.call("ACL", "SETUSER", user, "resetkeys", "%R~*", "~*flow*", "~*factor*", "~*totp*", "~*signin*");
    const page = await browser.submit(factor, { code: totpCode("JBSWY3DPEHPK3PXP") });
    await redis.call("ACL", "SETUSER", user, "~*");
    redis.disconnect();
    expect(page.status).toBe(500);
    await poll("the log line", () => undecidedOf(bob.username).length > 0);
    expect(undecidedOf(bob.username)).toMatchObject([{ step: "totp", reason: "REDIS_UNAVAILABLE" }]);
  });
});

describe("the reference of a failed sign-in", () => {
  test("is the beginning of the request's GUID; `postern why` reports the reason, and the account if it exists", async () => {
    const known = referenceIn(await signInThroughGateway(wrong("not this one")));
    expect(known).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}$/);
    await poll("the stored reference", async () => (await postern(known)).code === 1);
    const { out } = await postern(known.toUpperCase());
    expect(out).toMatch(/failed: the password was wrong\n[\s\S]*account +alice@example\.test\n/);

    const unknown = referenceIn(await signInThroughGateway(nobody));
    await poll("the stored reference", async () => (await postern(unknown)).out.includes("failed:"));
    const explanation = (await postern(unknown)).out;
    expect(explanation).toMatch(/no backend has an account of this name[\s\S]*account +unknown\n/);
    expect(explanation).not.toContain("nobody@example.test");
  });

  test("reports a temporary failure if no engine was available", async () => {
    const [engine] = idp.stack.engines;
    await engine?.stop();
    const page = await signInThroughGateway(alice);
    await idp.stack.startEngine();
    expect(page.status).toBe(500);
    const reference = referenceIn(page);
    await poll("the stored reference", async () =>
      (await postern(reference)).out.includes("failed: temporary failure ("),
    );
  });

  test("is reported as unknown if it does not exist, and needs an operator's credentials", async () => {
    const { code, out } = await postern("01234567-89ab");
    expect([code, out]).toEqual([
      1,
      expect.stringContaining("no failed sign-in with the reference 01234567-89ab is stored"),
    ]);
    const path = `${idp.stack.url}/api/v1/sign-ins/01234567-89ab`;
    expect((await fetch(path)).status).toBe(401);
    expect((await fetch(path, { headers: { authorization: basicAuth } })).status).toBe(404);
  });

  test("needs a token with the scope, which a 403 names; requests that bypass the gateway are rejected", async () => {
    const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
    const scopes = ["service:authenticate"];
    const assertion = await sign({ method: "bearer", scopes, clientIp: "192.0.2.7", session: "test-session" }, "idp");
    const url = `${idp.replicas[0]}/api/v1/sign-ins/01234567-89ab`;
    const refused = await fetch(url, { headers: { [callerAssertionHeader]: assertion } });
    expect([refused.status, await refused.json(), refused.headers.get("www-authenticate")]).toEqual([
      403,
      { error: "missing required scope: service:security or service:admin" },
      'Bearer realm="postern", error="insufficient_scope", scope="service:security service:admin"',
    ]);
    const direct = await fetch(url);
    expect([direct.status, await direct.json()]).toEqual([401, { error: "missing or invalid caller assertion" }]);
    expect(direct.headers.get("x-service-session")).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("is stored encrypted and expires", async () => {
    await signInThroughGateway(wrong("again"));
    const redis = await testRedis(idp.stack.redis?.port ?? 0);
    const keys = await redis.keys("postern:signin:failed:*");
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      expect(await redis.ttl(key)).toBeGreaterThan(0);
      expect((await redis.zrange(key, "0", "-1")).join()).not.toMatch(/alice|203\.0|wrong_password/);
    }
    redis.disconnect();
  });
});

test("with `explain_network_block: false`, a blocked network sees the message of a wrong password", async () => {
  const brute_force = { buckets: [{ ...rule, failed_requests: 2 }] };
  await using vague = await startIdpStack({
    identity: { frontend: { explain_network_block: false } },
    auth: { controls: { enabled: ["brute_force"], brute_force } },
  });
  const alerts: string[] = [];
  for (const user of [wrong("one"), wrong("two"), wrong("three"), alice]) {
    const browser = createBrowser(vague.replicas, "203.0.113.99");
    alerts.push(alertIn(await signIn(browser, user)));
  }
  expect(alerts).toEqual([failed, failed, failed, failed]);
});
