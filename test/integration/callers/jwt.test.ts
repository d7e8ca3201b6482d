import { Secret } from "@postern/shared/platform/crypto";
import { createCallerSigner } from "@postern/shared/platform/http";
import { pause, poll } from "@postern/testing";
import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { assertionSecret, type CallersStack, jwtSecret, startCallersStack } from "../../support/callers-stack.ts";

const operatorHash = "$argon2id$v=19$m=64,t=1,p=1$NqAU9gpIOrJkNAAg1eKaTg$gMXpJJAE3bkhNIKB5A4lWLyKVkbhC8pYNhXQiP5K51s";
const password = "demo-operator-password";

let stack: CallersStack;

beforeAll(async () => {
  stack = await startCallersStack({
    shape: "five",
    admins: 2,
    gateways: 2,
    jwt: {
      users: [
        { username: "operator", password: operatorHash, roles: ["admin", "security"] },
        { username: "mailer", password: operatorHash, roles: ["authenticate"] },
        { username: "nobody", password: operatorHash, roles: [] },
      ],
      directory_roles: ["authenticate"],
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(path: string, init: RequestInit, origin = stack.url): Promise<Answer> {
  const started = performance.now();
  const response = await fetch(`${origin}${path}`, init);
  const text = await response.text();
  const body: unknown = text.startsWith("{") ? JSON.parse(text) : {};
  return { status: response.status, ms: performance.now() - started, body: { ...Object(body) } };
}

function post(body: unknown): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function logIn(username: string, secret = password, origin = stack.url): Promise<Answer> {
  return send("/api/v1/jwt/token", post({ username, password: secret }), origin);
}

function refresh(token: string, origin = stack.url): Promise<Answer> {
  return send("/api/v1/jwt/refresh", { method: "POST", headers: { "x-refresh-token": token } }, origin);
}

async function bearer(token: string, path: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const isAuth = path.startsWith("/api/v1/auth");
  return (await send(path, isAuth ? { method: "POST", headers, body: JSON.stringify(alice) } : { headers })).status;
}

async function pairOf(username: string, secret = password): Promise<{ token: string; refreshToken: string }> {
  const { status, body } = await logIn(username, secret);
  expect(status).toBe(200);
  return { token: String(body["token"]), refreshToken: String(body["refresh_token"]) };
}

/** Tokens of the failure budget that the gateway has taken: of the shared bucket, or of the local one if Redis was slow. */
async function taken(): Promise<number> {
  const series = /^service_failure_budget_tokens_total\{bucket="[a-z]+",result="taken"\} (\d+)$/gmu;
  return [...(await stack.gateway.metrics()).matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("POST /api/v1/jwt/token", () => {
  test("answers 200 {token, expires_at, refresh_token}", async () => {
    const { status, body } = await logIn("operator");
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(["expires_at", "refresh_token", "token"]);
    const claims = decodeJwt(String(body["token"]));
    expect(body["expires_at"]).toBe(claims.exp);
    expect(Math.round(Number(claims.exp) - Date.now() / 1000)).toBeCloseTo(3600, -2);
    expect(decodeProtectedHeader(String(body["token"])).typ).not.toBe(
      decodeProtectedHeader(String(body["refresh_token"])).typ,
    );
  });

  test.each([{}, { username: "operator" }, { username: "", password }, { username: 5, password }, "x", null])(
    "answers 400 to %j",
    async (body) => {
      expect((await send("/api/v1/jwt/token", post(body))).status).toBe(400);
    },
  );

  test("answers 401 after 300 ms to a wrong password and to an unknown user", async () => {
    for (const answer of [await logIn("operator", "wrong"), await logIn("unknown@example.test")]) {
      expect([answer.status, answer.body]).toEqual([401, { error: "authentication failed" }]);
      expect(answer.ms).toBeGreaterThanOrEqual(299);
    }
  });

  test("answers 403 to a user without any role", async () => {
    expect((await logIn("nobody")).status).toBe(403);
  });

  test("gives a user of a backend the roles of the backend", async () => {
    const { token } = await pairOf(alice.username, alice.password);
    expect(await bearer(token, "/api/v1/auth/json")).toBe(200);
    expect(await bearer(token, "/api/v1/config/load")).toBe(403);
  });
});

describe("access to routes", () => {
  test("authenticate grants the auth routes, security and admin the operators' routes; a missing role is answered with 403", async () => {
    const operator = await pairOf("operator");
    const mailer = await pairOf("mailer");
    expect(await bearer(operator.token, "/api/v1/config/load")).toBe(200);
    expect(await bearer(operator.token, "/api/v1/auth/json")).toBe(403);
    expect(await bearer(mailer.token, "/api/v1/auth/json")).toBe(200);
    expect(await bearer(mailer.token, "/api/v1/config/load")).toBe(403);
  });

  test("a refresh token grants no access, and an access token cannot be used to refresh", async () => {
    const { token, refreshToken } = await pairOf("operator");
    expect(await bearer(refreshToken, "/api/v1/config/load")).toBe(401);
    const refused = await refresh(token);
    expect([refused.status, refused.body]).toEqual([401, { error: "invalid refresh token" }]);
  });

  test("the key does not sign access tokens of the identity provider", async () => {
    const claims = { ...decodeJwt(await stack.issuer.token()), scope: "service:authenticate service:admin" };
    const key = Buffer.from(jwtSecret);
    for (const header of [
      { alg: "HS256", typ: "at+jwt", kid: "test-key-1" },
      { alg: "HS256", typ: "at+jwt" },
    ]) {
      const forged = await new SignJWT(claims).setProtectedHeader(header).sign(key);
      expect(await bearer(forged, "/api/v1/config/load")).toBe(401);
    }
  });
});

describe("POST /api/v1/jwt/refresh", () => {
  test("renews both tokens; a refresh token is valid once, and a second use revokes the family", async () => {
    const first = await pairOf("operator");
    const second = await refresh(first.refreshToken);
    expect(second.status).toBe(200);
    const third = await refresh(String(second.body["refresh_token"]));
    expect(third.status).toBe(200);
    const token = String(third.body["token"]);
    expect(await bearer(token, "/api/v1/config/load")).toBe(200);
    const reused = await refresh(first.refreshToken);
    expect(reused.status).toBe(401);
    expect(reused.ms).toBeGreaterThanOrEqual(299);
    expect((await refresh(String(third.body["refresh_token"]))).status).toBe(401);
    await poll(
      "the family's access token to be rejected",
      async () => (await bearer(token, "/api/v1/config/load")) === 401,
    );
  });

  test("answers 400 without a token, and 401 to an invalid one", async () => {
    expect((await send("/api/v1/jwt/refresh", { method: "POST" })).status).toBe(400);
    for (const token of ["x", "a.b.c", "x".repeat(9000)]) expect((await refresh(token)).status).toBe(401);
  });

  test("a rejected request takes a token of the failure budget, a successful or malformed one does not", async () => {
    const before = await taken();
    const { refreshToken } = await pairOf("operator");
    expect((await refresh(refreshToken)).status).toBe(200);
    expect((await send("/api/v1/jwt/refresh", { method: "POST" })).status).toBe(400);
    expect(await taken()).toBe(before);
    expect((await refresh("nonsense")).status).toBe(401);
    expect((await logIn("nobody")).status).toBe(403);
    expect(await taken()).toBe(before + 2);
  });

  test("exactly one of 100 parallel refreshes of one token through two admins succeeds", async () => {
    const { refreshToken } = await pairOf("operator");
    const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
    const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "race" } as const;
    const headers = {
      "x-refresh-token": refreshToken,
      "x-service-caller-assertion": await sign(caller, "admin"),
    };
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        send("/api/v1/jwt/refresh", { method: "POST", headers }, stack.adminUrls[index % 2]),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(99);
  });

  test("while Redis hangs, both gateways and their admins answer with 500 and issue no token; afterwards the same tokens are still valid", async () => {
    const { refreshToken } = await pairOf("operator");
    const { refreshToken: another } = await pairOf("operator");
    const origins = stack.gateways.map(({ url }) => url);
    await pause(stack.redis);
    try {
      const refused = await Promise.all(
        origins.flatMap((origin) => [
          refresh(refreshToken, origin),
          refresh(another, origin),
          logIn("operator", password, origin),
        ]),
      );
      for (const { status, body } of refused) expect([status, Object.keys(body)]).toEqual([500, ["error"]]);
    } finally {
      stack.redis.signal("SIGCONT");
    }
    for (const [index, token] of [refreshToken, another].entries()) {
      const origin = origins[index];
      await poll("Redis to answer", async () => (await logIn("operator", password, origin)).status === 200);
      expect((await refresh(token, origin)).status).toBe(200);
    }
  });

  test("without an engine, a user of a backend is answered with 500 and keeps the refresh token", async () => {
    const { refreshToken } = await pairOf(alice.username, alice.password);
    await pause(stack.nats);
    try {
      expect((await refresh(refreshToken)).status).toBe(500);
    } finally {
      stack.nats.signal("SIGCONT");
    }
    await poll("the engine to answer", async () => (await logIn(alice.username, alice.password)).status === 200);
    expect((await refresh(refreshToken)).status).toBe(200);
  });
});

/** Sends a request as a client behind the trusted proxy. */
function from(clientIp: string, secret: string): Promise<Answer> {
  const headers = { "content-type": "application/json", "x-forwarded-for": clientIp };
  return send("/api/v1/jwt/token", { ...post({ username: "operator", password: secret }), headers });
}

describe("wrong passwords from one address", () => {
  test("use up the address's budget: 20 immediately, then 429 for that address; no account is locked", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, (_, index) => from("198.51.100.9", `guess-${index}`)));
    const of = (status: number) => answers.filter((answer) => answer.status === status);
    // The budget refills by ten a minute.
    expect(of(401).length).toBeGreaterThanOrEqual(20);
    expect(of(401).length + of(429).length).toBe(25);
    for (const { ms } of of(401)) expect(ms).toBeGreaterThanOrEqual(299);
    // A guess takes what was refilled meanwhile.
    const rejected = await poll("the address to be rejected", async () => {
      await from("198.51.100.9", "guess");
      return (await from("198.51.100.9", password)).status === 429;
    });
    expect(rejected).toBe(true);
    expect((await from("198.51.101.9", password)).status).toBe(200);
    expect((await logIn("operator")).status).toBe(200);
  });

  test("a correct password takes no token", async () => {
    for (let index = 0; index < 25; index += 1) expect((await from("198.51.102.9", password)).status).toBe(200);
  });

  test("clients that disconnect before the response have no effect on others", async () => {
    for (let index = 0; index < 5; index += 1) {
      const gone = new AbortController();
      const init = { ...post({ username: "operator", password: "wrong" }), signal: gone.signal };
      const before = stack.gateway.output().split("bad_jwt_login").length;
      const request = send("/api/v1/jwt/token", init).catch(() => undefined);
      await poll("the request to be rejected", () => stack.gateway.output().split("bad_jwt_login").length > before);
      gone.abort();
      await request;
    }
    expect((await logIn("operator")).status).toBe(200);
  });
});
