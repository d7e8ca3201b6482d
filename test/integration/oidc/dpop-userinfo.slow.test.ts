import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, codeForm, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const scope = "openid email offline_access";
let oidc: OidcStack;
let cookie: string;

interface ProofOptions {
  readonly token?: string;
  readonly nonce?: string;
}

function proof(method: string, path: string, { token, nonce }: ProofOptions = {}): Promise<string> {
  const ath = token === undefined ? {} : { ath: createHash("sha256").update(token).digest("base64url") };
  const jwk = pair.publicKey.export({ format: "jwk" });
  return new SignJWT({
    htm: method,
    htu: `${oidc.issuer}${path}`,
    jti: randomUUID(),
    ...ath,
    ...(nonce !== undefined && { nonce }),
  })
    .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
    .setIssuedAt()
    .sign(pair.privateKey);
}

async function ask(replica: number, path: string, init: RequestInit) {
  const response = await oidc.ask(replica, path, init);
  const text = await response.text();
  const body: Readonly<Record<string, unknown>> = text.startsWith("{") ? Object(JSON.parse(text)) : {};
  return {
    status: response.status,
    body,
    headers: response.headers,
    challenge: response.headers.get("www-authenticate"),
  };
}

async function grant(client: string, form: Readonly<Record<string, string>>, dpop?: string) {
  const headers = { authorization: `Basic ${btoa(`${client}:${client}-secret`)}`, ...(dpop !== undefined && { dpop }) };
  return ask(0, "/oidc/token", { method: "POST", headers, body: new URLSearchParams(form) });
}

const claims = JSON.stringify({ userinfo: { name: null } });
const codeFor = (clientId: string) => codeForm(oidc, { clientId, scope, more: { claims } }, cookie);

async function redeemed(client: string) {
  const { status, body } = await grant(client, await codeFor(client), await proof("POST", "/oidc/token"));
  expect([status, body["token_type"]]).toEqual([200, "DPoP"]);
  return body;
}

async function userinfo(
  token: unknown,
  options: { method?: string; named?: string; replica?: number; dpop?: string } = {},
) {
  const { method = "GET", named = method, replica = 0 } = options;
  const dpop = options.dpop ?? (await proof(named, "/oidc/userinfo", { token: String(token) }));
  return ask(replica, "/oidc/userinfo", { method, headers: { authorization: `DPoP ${String(token)}`, dpop } });
}

async function start(require_nonce: boolean): Promise<void> {
  const rules = {
    redirect_uris: [callback],
    scopes: ["openid", "profile", "email", "offline_access"],
    skip_consent: true,
  };
  oidc = await startOidcStack(
    [
      { ...rules, client_id: "opaque", client_secret: "opaque-secret" },
      { ...rules, client_id: "signed", client_secret: "signed-secret", access_token_type: "jwt" },
      { ...rules, client_id: "bound", client_secret: "bound-secret", dpop_bound_access_tokens: true },
    ],
    { dpop: { require_nonce } },
    { shape: "five" },
  );
  const redis = await testRedis(oidc.stack.redis?.port ?? 0);
  cookie = await signedIn(redis);
  redis.disconnect();
}

describe("without nonces", () => {
  beforeAll(() => start(false));
  afterAll(() => oidc[Symbol.asyncDispose]());

  describe.each(["opaque", "signed"])("%s tokens", (client) => {
    test("are accepted with a proof for the method of the request, and with that method only", async () => {
      const { access_token: token } = await redeemed(client);
      for (const method of ["GET", "POST"]) {
        const { status, body } = await userinfo(token, { method });
        expect([status, body["sub"], body["email"], body["name"]]).toEqual([
          200,
          "alice@example.test",
          "alice@example.test",
          "Alice Example",
        ]);
        const named = method === "GET" ? "POST" : "GET";
        const other = await userinfo(token, { method, named });
        expect([other.status, other.challenge]).toEqual([
          401,
          expect.stringMatching(/^DPoP .*error="invalid_dpop_proof"/),
        ]);
      }
    });

    test("are bound to the same key after a refresh, with the same claims", async () => {
      const { refresh_token: refresh } = await redeemed(client);
      const form = { grant_type: "refresh_token", refresh_token: String(refresh) };
      const { body } = await grant(client, form, await proof("POST", "/oidc/token"));
      expect((await userinfo(body["access_token"])).body).toMatchObject({ name: "Alice Example" });
    });

    test("are refused as bearer tokens, without a proof and with the proof of another request", async () => {
      const { access_token: token } = await redeemed(client);
      const bearer = await ask(0, "/oidc/userinfo", { headers: { authorization: `Bearer ${String(token)}` } });
      expect([bearer.status, bearer.challenge]).toEqual([401, expect.stringMatching(/^DPoP .*error="invalid_token"/)]);
      const bare = await ask(0, "/oidc/userinfo", { headers: { authorization: `DPoP ${String(token)}` } });
      expect([bare.status, bare.body]).toEqual([
        401,
        { error: "invalid_dpop_proof", error_description: "the DPoP proof is missing" },
      ]);
      expect((await userinfo(token, { dpop: await proof("GET", "/oidc/userinfo", { token: "x" }) })).status).toBe(401);
    });
  });

  test("a proof is accepted once, even if two replicas receive it at the same time", async () => {
    const { access_token: token } = await redeemed("signed");
    const dpop = await proof("GET", "/oidc/userinfo", { token: String(token) });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => userinfo(token, { dpop, replica: index % 2 })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(9);
    const used = await proof("POST", "/oidc/token");
    const grants = [
      await grant("opaque", await codeFor("opaque"), used),
      await grant("opaque", await codeFor("opaque"), used),
    ];
    expect(grants.map(({ status, body }) => [status, body["error"]])).toEqual([
      [200, undefined],
      [400, "invalid_dpop_proof"],
    ]);
  });

  test("the response to a client whose tokens must be bound says that the proof is missing", async () => {
    const { status, body } = await grant("bound", await codeFor("bound"));
    expect([status, body]).toEqual([400, { error: "invalid_grant", error_description: "DPoP proof JWT not provided" }]);
  });

  test("a JWT access token has the members of RFC 9068", async () => {
    const { access_token: token } = await redeemed("signed");
    expect(Object.keys(claimsOf(token))).toEqual(
      expect.arrayContaining([
        "iss",
        "exp",
        "aud",
        "sub",
        "client_id",
        "iat",
        "jti",
        "auth_time",
        "amr",
        "scope",
        "cnf",
      ]),
    );
    const header: unknown = JSON.parse(Buffer.from(String(token).split(".")[0] ?? "", "base64url").toString("utf8"));
    expect(header).toMatchObject({ typ: "at+jwt" });
  });
});

describe("with identity.oidc.dpop.require_nonce", () => {
  beforeAll(() => start(true));
  afterAll(() => oidc[Symbol.asyncDispose]());

  test("a proof without a nonce is answered with one, which every endpoint and replica accepts", async () => {
    const form = await codeFor("signed");
    const challenge = await grant("signed", form, await proof("POST", "/oidc/token"));
    const nonce = challenge.headers.get("dpop-nonce") ?? "";
    expect([challenge.status, challenge.body["error"], nonce]).toEqual([
      400,
      "use_dpop_nonce",
      expect.stringMatching(/.{20}/),
    ]);
    const { body } = await grant("signed", form, await proof("POST", "/oidc/token", { nonce }));
    const token = String(body["access_token"]);
    const none = await userinfo(token, { replica: 1 });
    expect([none.status, none.challenge]).toEqual([401, expect.stringContaining('error="use_dpop_nonce"')]);
    expect(none.headers.get("dpop-nonce")).toBe(nonce);
    for (const replica of [0, 1]) {
      const dpop = await proof("GET", "/oidc/userinfo", { token, nonce });
      expect((await userinfo(token, { dpop, replica })).status).toBe(200);
    }
  });
});
