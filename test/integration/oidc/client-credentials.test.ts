import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { type OidcStack, startOidcStack, testClients } from "../../support/oidc-stack.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";

let oidc: OidcStack;

beforeAll(async () => {
  oidc = await startOidcStack(undefined, {}, { shape: "five" });
});

afterAll(() => oidc[Symbol.asyncDispose]());

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
}

const m2m = basic("demo-m2m", "demo-m2m-secret");
const dovecot = basic("demo-dovecot", "demo-dovecot-secret");

async function post(path: string, form: Readonly<Record<string, string>>, authorization?: string) {
  const response = await fetch(`${oidc.issuer}${path}`, {
    method: "POST",
    headers: authorization === undefined ? {} : { authorization },
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  const body: Record<string, unknown> = text === "" ? {} : Object(JSON.parse(text));
  return { status: response.status, headers: response.headers, body };
}

async function token(scope = "service:authenticate"): Promise<string> {
  const { body, status } = await post("/oidc/token", { grant_type: "client_credentials", scope }, m2m);
  expect([status, body["token_type"]]).toEqual([200, "Bearer"]);
  return String(body["access_token"]);
}

async function statusWith(bearer: string): Promise<number> {
  const response = await fetch(`${oidc.issuer}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    body: JSON.stringify(alice),
  });
  await response.arrayBuffer();
  return response.status;
}

describe("discovery and keys", () => {
  test("every endpoint in the discovery document begins with the issuer, whatever the Host header says", async () => {
    const response = await fetch(`${oidc.issuer}/.well-known/openid-configuration`, { headers: { host: "evil.test" } });
    const document: Record<string, unknown> = Object(await response.json());
    expect(document["issuer"]).toBe(oidc.issuer);
    for (const name of ["authorization", "token", "userinfo", "introspection", "end_session", "device_authorization"]) {
      expect(String(document[`${name}_endpoint`])).toMatch(new RegExp(`^${oidc.issuer}/oidc/`));
    }
    expect(document["response_types_supported"]).toEqual(["code"]);
    expect(document["token_endpoint_auth_methods_supported"]).toEqual(
      expect.arrayContaining(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]),
    );
    expect(document["request_uri_parameter_supported"]).toBe(false);
    const other = await fetch(`${oidc.issuer}/.well-known/oauth-authorization-server`);
    expect(other.status).toBe(200);
  });

  test("two replicas publish the same keys, of the kinds that are in use only, and each kid is usable as a file name", async () => {
    const sets = await Promise.all([0, 1].map(async (replica) => (await oidc.ask(replica, "/oidc/jwks")).json()));
    expect(sets[0]).toEqual(sets[1]);
    const keys: Record<string, unknown>[] = Object(sets[0]).keys;
    expect(new Set(keys.map(({ kty }) => kty))).toEqual(new Set(["EC", "RSA"]));
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(key["kid"]).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(key["d"]).toBeUndefined();
    }
  });
});

describe("client credentials (contract, Backchannel callers, rule 5)", () => {
  test("the token is accepted on the back channel and has the claims of the contract", async () => {
    const jwt = await token("service:authenticate service:security");
    const claims: Record<string, unknown> = JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());
    expect(claims).toEqual({
      iss: oidc.issuer,
      sub: "demo-m2m",
      aud: "service:backchannel",
      exp: expect.any(Number),
      iat: expect.any(Number),
      jti: expect.any(String),
      client_id: "demo-m2m",
      scope: "service:authenticate service:security",
      token_type: "access_token",
    });
    expect(await statusWith(jwt)).toBe(200);
  });

  test("GET /oidc/token works like POST", async () => {
    const query =
      "grant_type=client_credentials&scope=service:authenticate&client_id=demo-m2m&client_secret=demo-m2m-secret";
    const response = await fetch(`${oidc.issuer}/oidc/token?${query}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["openid", 400, "invalid_scope"],
    ["service:admin", 400, "invalid_scope"],
  ])("scope %s is rejected", async (scope, status, error) => {
    const { body, ...answer } = await post("/oidc/token", { grant_type: "client_credentials", scope }, m2m);
    expect([answer.status, body["error"]]).toEqual([status, error]);
  });

  test("empty form parameters beside Basic count as absent; wrong or missing credentials are rejected with 401", async () => {
    const form = { grant_type: "client_credentials", scope: "service:authenticate" };
    const empty = { ...form, client_id: "", client_secret: "" };
    expect((await post("/oidc/token", empty, m2m)).status).toBe(200);
    const wrong = await post("/oidc/token", form, basic("demo-m2m", "wrong"));
    expect([wrong.status, wrong.body["error"]]).toEqual([401, "invalid_client"]);
    expect(wrong.headers.get("www-authenticate")).toContain("Basic");
    expect((await post("/oidc/token", form)).status).toBe(401);
    expect((await post("/oidc/token", form, basic("demo-spa", ""))).status).toBeGreaterThanOrEqual(400);
  });
});

describe("introspection and revocation of signed tokens", () => {
  test("a resource server may introspect another client's token; other clients and unauthenticated callers may not", async () => {
    const jwt = await token();
    const seen = await post("/oidc/introspect", { token: jwt, token_type_hint: "access_token" }, dovecot);
    expect(seen.body).toEqual({
      active: true,
      iss: oidc.issuer,
      sub: "demo-m2m",
      aud: "service:backchannel",
      client_id: "demo-m2m",
      scope: "service:authenticate",
      exp: expect.any(Number),
      iat: expect.any(Number),
      token_type: "Bearer",
    });
    expect((await post("/oidc/introspect", { token: jwt }, basic("demo-web", "demo-web-secret"))).body).toEqual({
      active: false,
    });
    expect((await post("/oidc/introspect", { token: jwt })).status).toBe(401);
    expect((await post("/oidc/introspect", {}, dovecot)).status).toBe(400);
    expect((await post("/oidc/introspect", { token: `${jwt}x` }, dovecot)).body).toEqual({ active: false });
  });

  test("a revoked token is rejected by both replicas and the gateway", async () => {
    const jwt = await token();
    expect(await statusWith(jwt)).toBe(200);
    expect((await post("/oidc/revoke", { token: jwt }, m2m)).status).toBe(200);
    for (const replica of [0, 1]) {
      const response = await oidc.ask(replica, "/oidc/introspect", {
        method: "POST",
        headers: { authorization: dovecot },
        body: new URLSearchParams({ token: jwt }),
      });
      expect(await response.json()).toEqual({ active: false });
    }
    await expect.poll(() => statusWith(jwt)).toBe(401);
  });

  test("a client cannot revoke another's token", async () => {
    const jwt = await token();
    expect((await post("/oidc/revoke", { token: jwt }, basic("demo-web", "demo-web-secret"))).status).toBe(200);
    expect(await statusWith(jwt)).toBe(200);
  });
});

test("Redis contains no readable tokens, client names or private keys", async () => {
  const jwt = await token();
  const redis = await testRedis(oidc.stack.redis?.port ?? 0);
  const content = await redisContent(redis);
  redis.disconnect();
  const { jti } = JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString());
  expect(content).toContain("oidc:record:AccessToken");
  for (const secret of [jwt, String(jti), "demo-m2m", '"d":']) expect(content).not.toContain(secret);
});

async function reload(clients: readonly object[]): Promise<void> {
  await oidc.stack.writeSettings({ identity: { oidc: { clients } } });
  oidc.stack.services.get("idp")?.signal("SIGHUP");
}

function wasRefused(): boolean {
  return oidc.stack.services.get("idp")?.output().includes("configuration refused") ?? false;
}

describe("reload of clients", () => {
  const added = {
    client_id: "late",
    client_secret: "late-secret",
    scopes: ["service:authenticate"],
    grant_types: ["client_credentials"],
  };
  const form = { grant_type: "client_credentials", scope: "service:authenticate" };

  async function statusOf(id: string): Promise<number> {
    const authorization = basic(id, `${id}-secret`);
    const response = await oidc.ask(0, "/oidc/token", {
      method: "POST",
      headers: { authorization },
      body: new URLSearchParams(form),
    });
    await response.arrayBuffer();
    return response.status;
  }

  test("a new client is accepted without a restart, and earlier tokens remain valid", async () => {
    const before = await token();
    expect(await statusOf("late")).toBe(401);
    await reload([...testClients, added]);
    await expect.poll(() => statusOf("late")).toBe(200);
    expect((await post("/oidc/introspect", { token: before }, dovecot)).body["active"]).toBe(true);
  });

  test("a configuration with an invalid client is rejected, and the previous clients remain", async () => {
    await reload([{ ...added, redirect_uris: ["no address"], grant_types: ["authorization_code"] }]);
    await expect.poll(wasRefused).toBe(true);
    expect(await statusOf("late")).toBe(200);
  });
});
