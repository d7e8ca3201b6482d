import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort, pause, poll, scratchFolder } from "@postern/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ServiceProcess } from "../../support/service-process.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

const operatorHash =
  "$argon2id$v=19$m=19456,t=2,p=1$i9hIBirgp4mxAbFEwDlRJw$FDlJKJc+wynRK6RkSGcna0tfRmgFHbZE3bo+a5Rirow";
const operator = { username: "operator", password: "demo-operator-password" };

let owned: AsyncDisposableStack;
let stack: Stack;
let idp: ServiceProcess;
let admin: ServiceProcess;

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const { path: folder } = starting.use(await scratchFolder());
  const script = join(folder, "slow.lua");
  await writeFile(script, "function hook(request) while true do end end");
  const httpPort = await freePort();
  stack = starting.use(
    await startStack({
      shape: "five",
      engines: 0,
      redis: true,
      httpPort,
      services: ["idp", "admin"],
      settings: {
        runtime: {
          timeouts: { lua_script: "7s" },
          servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } },
        },
        auth: {
          backchannel: {
            jwt: {
              enabled: true,
              secret_key: "test-jwt-secret-key-of-32-characters",
              users: [{ username: operator.username, password: operatorHash, roles: ["admin"] }],
            },
          },
          backends: { lua: { backend: { default: { cpu_limit: "5s" } } } },
          controls: { lua: { hooks: [{ http_location: "slow", http_method: "GET", script_path: script }] } },
        },
        identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: `http://127.0.0.1:${httpPort}` } },
      },
    }),
  );
  const [one, other] = [stack.services.get("idp"), stack.services.get("admin")];
  if (one === undefined || other === undefined) throw new Error("a service is missing");
  [idp, admin] = [one, other];
  owned = starting.move();
});

afterAll(() => owned[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly tookMs: number;
}

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const started = performance.now();
  const response = await fetch(`${stack.url}${path}`, { redirect: "manual", ...init });
  const body = await response.text();
  return { status: response.status, headers: response.headers, body, tookMs: performance.now() - started };
}

async function failures(owner: string, reason: string): Promise<number> {
  const series = new RegExp(`service_forward_failures_total\\{owner="${owner}",reason="${reason}"\\} (\\d+)`);
  return Number(series.exec(await stack.gateway.metrics())?.[1] ?? 0);
}

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("with the identity provider frozen (SIGSTOP)", () => {
  let page: Answer;
  let german: Answer;
  let arabic: Answer;
  let programs: readonly Answer[];
  let counted: number;

  // Each response takes seconds, so all requests are sent together.
  beforeAll(async () => {
    const before = await failures("idp", "silent");
    await pause(idp);
    [page, german, arabic, ...programs] = await Promise.all([
      ask("/login?flow=x", { headers: browser }),
      ask("/login", { headers: { ...browser, "accept-language": "xx, de-AT;q=0.8, en;q=0.2" } }),
      ask("/login/ar?flow=x", { headers: { ...browser, "accept-language": "de" } }),
      ...Array.from({ length: 150 }, () => ask("/oidc/jwks")),
    ]);
    counted = (await failures("idp", "silent")) - before;
  });
  afterAll(async () => {
    idp.signal("SIGCONT");
    await poll("the identity provider to respond", async () => (await ask("/oidc/jwks")).status === 200);
  });

  test("a browser receives a page with a link to try again", async () => {
    const { status, headers, body } = page;
    expect(status).toBe(500);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(body).toContain('<html lang="en" dir="ltr">');
    expect(body).toContain('<a href="">Try again</a>');
    expect(body).toContain(headers.get("x-service-session"));
    const policy = headers.get("content-security-policy");
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; /);
    expect(policy).not.toContain("unsafe");
    await poll("the log line", () => stack.gateway.output().includes(`"owner":"idp","reason":"silent"`));
  });

  test("the page is in the browser's language, or in the language of the path", () => {
    expect(german.body).toContain('<html lang="de" dir="ltr">');
    expect(german.body).toContain("Erneut versuchen");
    expect(arabic.body).toContain('<html lang="ar" dir="rtl">');
  });

  test("programs receive JSON, and all of more requests than connections are answered", () => {
    for (const { status, headers, body } of programs) {
      expect(status).toBe(500);
      expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(Object.keys(JSON.parse(body))).toEqual(["error"]);
    }
    expect(programs).toHaveLength(150);
  });

  test("each request is counted as one failure", () => {
    expect(counted).toBe(153);
  });

  test("admin's paths are answered meanwhile", async () => {
    const { status } = await ask("/api/v1/config/load", { headers: { authorization: basicAuth } });
    expect(status).toBe(200);
  });
});

describe("with admin frozen", () => {
  afterEach(async () => {
    admin.signal("SIGCONT");
    await poll(
      "admin to respond again",
      async () => (await ask("/api/v1/config/load", { headers: { authorization: basicAuth } })).status === 200,
    );
  });

  test("a login is sent once: admin counts one request when it resumes", async () => {
    const body = JSON.stringify(operator);
    const init = { method: "POST", headers: { "content-type": "application/json" }, body };
    expect((await ask("/api/v1/jwt/token", init)).status).toBe(200);
    admin.signal("SIGSTOP");
    const { status, body: text } = await ask("/api/v1/jwt/token", init);
    expect([status, Object.keys(JSON.parse(text))]).toEqual([500, ["error"]]);
    expect(await failures("admin", "silent")).toBeGreaterThan(0);
    admin.signal("SIGCONT");
    // admin answers in the order of arrival, so a later login shows that the count of the frozen one is final.
    expect((await ask("/api/v1/jwt/token", init)).status).toBe(200);
    const issued = /service_jwt_requests_total\{endpoint="token",result="issued"\} (\d+)/;
    await poll("the logins to be counted", async () => Number(issued.exec(await admin.metrics())?.[1]) >= 2);
    expect(Number(issued.exec(await admin.metrics())?.[1])).toBeLessThanOrEqual(3);
  });

  test("a flush fails too, although admin may take long for one", async () => {
    const before = await failures("admin", "silent");
    admin.signal("SIGSTOP");
    const { status } = await ask("/api/v1/cache/flush", {
      method: "DELETE",
      headers: { authorization: basicAuth, "content-type": "application/json" },
      body: JSON.stringify({ user: "alice@example.test" }),
    });
    expect(status).toBe(500);
    expect(await failures("admin", "silent")).toBe(before + 1);
  });
});

test("the gateway waits for a service that is alive but slow, and forwards its response", async () => {
  const before = await failures("admin", "silent");
  const { status, headers, body, tookMs } = await ask("/api/v1/custom/slow", {
    headers: { authorization: basicAuth, ...browser },
  });
  expect(status).toBe(500);
  expect(tookMs).toBeGreaterThan(4500);
  expect(headers.get("content-type")).toContain("application/json");
  expect(Object.keys(JSON.parse(body))).toEqual(["error"]);
  expect(await failures("admin", "silent")).toBe(before);
});

test("for a killed service, the gateway responds itself, with a page for browsers", async () => {
  admin.signal("SIGKILL");
  await poll("admin to be unavailable", async () => (await admin.readiness()) === 0);
  const { status, body } = await ask("/api/v1/config/load", { headers: { authorization: basicAuth, ...browser } });
  expect(status).toBe(500);
  expect(body).toContain("Try again");
  expect(await failures("admin", "refused")).toBeGreaterThan(0);
});
