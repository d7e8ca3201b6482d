import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, askJson } from "../../support/ask-json.ts";
import { createBrowser } from "../../support/browser.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const suffix = "dc=example,dc=test";
const day = 86_400_000;
/** GeneralizedTime (RFC 4517 section 3.3.13). */
const timeOf = (ms: number): string => new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");

const policy = (name: string, lines: string): string =>
  `dn: cn=${name},ou=policies,${suffix}\nobjectClass: device\nobjectClass: pwdPolicy\ncn: ${name}\npwdAttribute: userPassword\n${lines}\n`;
const person = (uid: string, policyName: string, more = ""): string =>
  `dn: uid=${uid},ou=people,${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\nmail: ${uid}@example.test\nuserPassword: ${uid}-password\npwdPolicySubentry: cn=${policyName},ou=policies,${suffix}\n${more}\n`;
const changed = (ms: number): string => `pwdChangedTime: ${timeOf(ms)}\n`;
const longAgo = changed(Date.now() - 400 * day);
const resetUsers = ["reset", "reset1", "reset2", "reset3", "reset4"];

function ldif(): string {
  return [
    ...["people", "policies"].map((ou) => `dn: ou=${ou},${suffix}\nobjectClass: organizationalUnit\nou: ${ou}\n\n`),
    policy("plain", "pwdMustChange: TRUE\n"),
    policy("grace", `pwdMaxAge: ${day / 1000}\npwdGraceAuthnLimit: 3\n`),
    policy("expires", `pwdMaxAge: ${(10 * day) / 1000}\npwdExpireWarning: ${(10 * day) / 1000}\n`),
    ...resetUsers.map((uid) => person(uid, "plain", "pwdReset: TRUE\n")),
    person("alice", "plain"),
    person("off", "plain", "pwdReset: TRUE\nemployeeType: disabled\n"),
    ...["grace1", "grace2"].map((uid) => person(uid, "grace", longAgo)),
    person("expired", "expires", longAgo),
    // Half a day more than eight, so that the test may take a while.
    person("warned", "expires", changed(Date.now() - 1.5 * day)),
  ].join("");
}

let slapd: Slapd;
let idp: IdpStack;

beforeAll(async () => {
  slapd = await spawnSlapd({
    ldif: ldif(),
    globalConfig: "moduleload ppolicy\n",
    databaseConfig: `overlay ppolicy\nppolicy_default "cn=plain,ou=policies,${suffix}"\nppolicy_use_lockout\n`,
  });
  const search = {
    protocol: ["imap", "idp"],
    cache_name: "mail",
    base_dn: `ou=people,${suffix}`,
    filter: { user: "(&(objectClass=inetOrgPerson)(uid=%L{user}))", disabled: "(employeeType=disabled)" },
    mapping: { account_field: "uid" },
    attribute: ["mail"],
  };
  const pool = { server_uri: [slapd.uri], bind_dn: slapd.rootDn, bind_pw: slapd.rootPassword };
  const bucket = { name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 3, ipv4: true };
  const delay = { failures: 4, max_delay: "150ms" };
  idp = await startIdpStack(
    {
      auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket], account_delay: delay } } },
      identity: { frontend: { links: { password_change_url: "https://password.example.test/" } } },
    },
    { others: { order: ["cache", "ldap"], ldap: { default: pool, search: [search] } } },
  );
});

afterAll(async () => {
  await idp[Symbol.asyncDispose]();
  await slapd[Symbol.asyncDispose]();
});

const login = (uid: string, clientIp: string, password = `${uid}-password`): Promise<Answer> =>
  askJson(idp.stack.url, { username: uid, password, protocol: "imap", client_ip: clientIp });

const decided = (answer: Answer) =>
  logLineOf(idp.stack.gateway, answer.headers.get("x-service-session") ?? undefined, "decided");

describe("a mail login", () => {
  test("with a password that must be changed is denied with the reason, and not counted as a guess", async () => {
    for (const uid of resetUsers) {
      const answer = await login(uid, "10.7.1.9");
      expect([answer.status, answer.headers.get("auth-status")]).toEqual([403, "FAIL"]);
      expect(await decided(answer)).toMatchObject({ reason: "account_disabled", detail: "password_change_required" });
    }
    // The same network is not banned.
    expect((await login("alice", "10.7.1.9")).status).toBe(200);
  });

  test("with a wrong password of such an account is a wrong password, and counts", async () => {
    expect(await decided(await login("reset", "10.7.2.9", "wrong"))).toMatchObject({ reason: "wrong_password" });
    expect(await decided(await login("expired", "10.7.6.9", "wrong"))).toMatchObject({ reason: "wrong_password" });
    for (const password of ["wrong2", "wrong3"]) await login("reset", "10.7.2.9", password);
    expect(await decided(await login("alice", "10.7.2.9"))).toMatchObject({ outcome: "blocked" });
  });

  test("with such a password of an account that is being guessed is delayed like any other answer", async () => {
    for (let count = 1; count <= 6; count += 1) await login("reset4", `10.8.${count}.9`, `guess-${count}`);
    const line = await decided(await login("reset4", "10.9.1.9"));
    expect(line).toMatchObject({ detail: "password_change_required", held_ms: expect.any(Number) });
  });

  test("of an account that is also disabled is denied because of that", async () => {
    expect(await decided(await login("off", "10.7.3.9"))).toMatchObject({ detail: "disabled" });
  });

  test("with an expired password uses grace logins, of which no cache spares one, until it is denied", async () => {
    for (const left of [2, 1, 0]) {
      const answer = await login("grace1", "10.7.4.9");
      expect([answer.status, answer.headers.get("x-service-memory-cache")]).toEqual([200, "Miss"]);
      expect(await decided(answer)).toMatchObject({ outcome: "ok", grace_logins_left: left });
    }
    const denied = await login("grace1", "10.7.4.9");
    expect(denied.status).toBe(403);
    expect(await decided(denied)).toMatchObject({ reason: "account_disabled", detail: "password_expired" });
  });

  test("with a password that expires in days is cached, and its log line says when", async () => {
    const first = await login("warned", "10.7.5.9");
    expect([first.status, await decided(first)]).toMatchObject([200, { password_expires_s: expect.any(Number) }]);
    const again = await login("warned", "10.7.5.9");
    expect([again.status, again.headers.get("x-service-memory-cache")]).toEqual([200, "Hit"]);
    expect(await decided(again)).not.toHaveProperty("password_expires_s");
  });
});

const home = "/mfa/register/home";
const changeLink = 'href="https://password.example.test/"';

async function signIn(uid: string) {
  const browser = createBrowser(idp.replicas);
  const answer = await browser.submit(await browser.open(home), { username: uid, password: `${uid}-password` });
  return { browser, answer };
}

/** Waits for a line about a sign-in with these parts; logs are written shortly after the response. */
const logged = (...parts: string[]): Promise<string> =>
  poll(parts.join(), () =>
    idp.processes
      .flatMap((one) => one.output().split("\n"))
      .find((line) => line.includes('"sign-in decided"') && parts.every((part) => line.includes(part))),
  );

describe("a sign-in on the pages", () => {
  test.each(["reset", "expired"])("as %s leads to the page on which the password is changed", async (uid) => {
    const { browser, answer } = await signIn(uid);
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("you have to change it")]);
    expect(answer.text).toContain(changeLink);
    expect(browser.cookies.has("service_session")).toBe(false);
    await logged('"reason":"account_disabled"', `"account":"${uid}"`);
  });

  test("with a wrong password of such an account shows the usual text", async () => {
    const browser = createBrowser(idp.replicas);
    const answer = await browser.submit(await browser.open(home), { username: "reset", password: "wrong" });
    expect(answer.text).toContain('role="alert"');
    expect(answer.text).not.toContain(changeLink);
  });

  test.each([
    ["grace2", "Your password has expired. Sign-ins left: 2.", '"grace_logins_left":2'],
    ["warned", "Your password expires in 8 days.", '"password_expires_s":'],
  ])("as %s shows a warning, and continues from there", async (uid, text, field) => {
    const { browser, answer } = await signIn(uid);
    expect(answer.location).toContain("/login/password");
    const warning = await browser.open(answer.location ?? "");
    expect([warning.status, warning.text]).toEqual([200, expect.stringContaining(text)]);
    expect(warning.text).toContain(changeLink);
    const [, next = ""] = /class="button quiet" href="([^"]+)"/.exec(warning.text) ?? [];
    const arrived = await browser.open(next.replaceAll("&amp;", "&"));
    expect([arrived.status, arrived.url]).toEqual([200, home]);
    await logged(`"account":"${uid}"`, field);
  });

  test("without a warning continues immediately", async () => {
    expect((await signIn("alice")).answer.location).toBe(home);
  });
});
