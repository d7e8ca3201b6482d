import { createHash, generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { askInTurn, type Tokens } from "../../support/relying-party.ts";
import { messageSigning, wordsOf } from "./message-signing.ts";

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const others = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwks = JSON.stringify({ keys: [{ ...keys.publicKey.export({ format: "jwk" }), kid: "one", use: "sig" }] });

/** What a client publishes; undefined: the status is 404. */
let published: string | undefined;
let publications = 0;

/** A client's server: it never responds with a key set. */
const server = createServer(({ url = "" }, response) => {
  if (!url.startsWith("/object")) return;
  publications += 1;
  if (url === "/object/moved") response.writeHead(302, { location: "/object" }).end();
  else if (published === undefined) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "application/oauth-authz-req+jwt" }).end(published);
});
let clientUrl = "";

let oidc: OidcStack;
let redis: RedisClient;
let browser: Browser;

const rules = (client_id: string) => ({
  client_id,
  client_secret: `${client_id}-secret`,
  redirect_uris: [callback],
  scopes: ["openid", "email"],
  skip_consent: true,
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  clientUrl = `http://127.0.0.1:${port}`;
  oidc = await startOidcStack([
    { ...rules("signs"), jwks },
    { ...rules("strict"), jwks, require_signed_request_object: true, authorization_signed_response_alg: "ES256" },
    { ...rules("edwards"), jwks, request_object_signing_alg: "EdDSA" },
    { ...rules("unsigned"), request_object_signing_alg: "none" },
    rules("plain"),
    { ...rules("away"), jwks_uri: `http://127.0.0.1:${port}/` },
    { ...rules("publishes"), jwks, request_uris: [1, 2, 3].map((number) => `${clientUrl}/object#${number}`) },
    {
      ...rules("elsewhere"),
      request_object_signing_alg: "any",
      jwks,
      request_uris: ["/object", "/object?missing", "/object/moved", "/silent"].map((path) => `${clientUrl}${path}`),
    },
  ]);
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

beforeEach(async () => {
  browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis)).split("=");
  browser.cookies.set(name, sid);
});

const verifier = randomBytes(32).toString("base64url");

type Members = Readonly<Record<string, unknown>>;

function membersOf(client: string, more: Members = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: client,
    aud: oidc.issuer,
    nbf: now,
    exp: now + 60,
    jti: randomUUID(),
    client_id: client,
    response_type: "code",
    redirect_uri: callback,
    scope: "openid",
    state: "signed-state",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...more,
  };
}

type Signing = Readonly<{ key?: KeyObject; typ?: string }>;

function signed(client: string, more: Members = {}, { key = keys.privateKey, typ }: Signing = {}): Promise<string> {
  const header = { alg: "ES256", kid: "one", ...(typ !== undefined && { typ }) };
  return new SignJWT(membersOf(client, more)).setProtectedHeader(header).sign(key);
}

function authorize(client: string, request: string, more: Readonly<Record<string, string>> = {}): Promise<Page> {
  const query = new URLSearchParams({ client_id: client, request, ...more });
  return browser.get(`/oidc/authorize?${query.toString()}`, { accept: "text/html" });
}

function push(
  client: string,
  form: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Tokens> {
  const headers = { authorization: `Basic ${btoa(`${client}:${client}-secret`)}`, ...more };
  return askInTurn(oidc, "/oidc/par", { method: "POST", headers, body: new URLSearchParams(form) });
}

const byReference = (client: string, pushed: Tokens): Promise<Page> => {
  const query = new URLSearchParams({ client_id: client, request_uri: String(pushed.body["request_uri"]) });
  return browser.get(`/oidc/authorize?${query.toString()}`, { accept: "text/html" });
};

async function redeem(client: string, code: string): Promise<Tokens> {
  const body = { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
  const headers = { authorization: `Basic ${btoa(`${client}:${client}-secret`)}` };
  return askInTurn(oidc, "/oidc/token", { method: "POST", headers, body: new URLSearchParams(body) });
}

describe("a request object (RFC 9101)", () => {
  test.each([undefined, "JWT", "oauth-authz-req+jwt"])("with typ %s is accepted by value", async (typ) => {
    const object = await signed("signs", {}, typ === undefined ? {} : { typ });
    const page = await authorize("signs", object, { response_type: "code", scope: "openid" });
    const { code = "", state, iss } = wordsOf(page);
    expect([state, iss]).toEqual(["signed-state", oidc.issuer]);
    expect((await redeem("signs", code)).body).toMatchObject({ scope: "openid", id_token: expect.any(String) });
  });

  test("is accepted at /oidc/par, with the parameters of the object only", async () => {
    const request = await signed("signs", { claims: { id_token: { email: null } } });
    const pushed = await push("signs", { request, scope: "openid email", state: "unsigned-state" });
    expect(pushed.status).toBe(201);
    const { code = "", state } = wordsOf(await byReference("signs", pushed));
    expect(state).toBe("signed-state");
    expect((await redeem("signs", code)).body).toMatchObject({ scope: "openid" });
  });

  test("replaces the parameters beside it", async () => {
    const more = { response_type: "code", scope: "openid email", state: "unsigned-state", nonce: "n", prompt: "none" };
    const page = await authorize("signs", await signed("signs"), more);
    expect(wordsOf(page)["state"]).toBe("signed-state");
    expect((await redeem("signs", wordsOf(page)["code"] ?? "")).body["scope"]).toBe("openid");
  });

  test.each<readonly [string, Members, Signing]>([
    ["of another key", {}, { key: others.privateKey }],
    ["of another type", {}, { typ: "at+jwt" }],
    ["of another issuer", { iss: "plain" }, {}],
    ["for another audience", { aud: "https://other.test" }, {}],
    ["that has expired", { exp: 1 }, {}],
    ["that is not valid yet", { nbf: 4_000_000_000, exp: 4_000_000_060 }, {}],
    ["of another client", { client_id: "plain" }, {}],
    ["without client_id", { client_id: undefined }, {}],
    ["that could serve as a client assertion", { sub: "signs" }, {}],
    ["that contains another one", { request: "x.y.z" }, {}],
    ["that refers to another one", { request_uri: "urn:x" }, {}],
  ])("%s is refused with invalid_request_object, by value and at /oidc/par", async (_what, more, signing) => {
    const request = await signed("signs", more, signing);
    expect(wordsOf(await authorize("signs", request))).toMatchObject({
      error: "invalid_request_object",
      state: "signed-state",
      iss: oidc.issuer,
    });
    const { status, body } = await push("signs", { request });
    expect([status, body["error"]]).toEqual([400, "invalid_request_object"]);
  });

  test("with another response_type than the parameter is refused", async () => {
    const page = await authorize("signs", await signed("signs"), { response_type: "token" });
    expect(wordsOf(page)["error"]).toBe("invalid_request_object");
  });

  test("does not send the browser to an address that is not registered", async () => {
    const request = await signed("signs", { redirect_uri: "https://evil.example/" }, { key: others.privateKey });
    const page = await authorize("signs", request);
    expect([page.status, page.location]).toEqual([400, undefined]);
  });

  test("is refused for a client without keys, and its reason is in the log", async () => {
    const page = await authorize("plain", await signed("plain"));
    expect(wordsOf(page)["error"]).toBe("request_not_supported");
    expect((await push("plain", { request: "nonsense" })).body["error"]).toBe("request_not_supported");
    await authorize("signs", await signed("signs", {}, { key: others.privateKey }));
    await poll("the reason in the log", async () =>
      oidc.processes.some((process) => process.output().includes("invalid_request_object: wrong_signature_or_claims")),
    );
  });

  test("is accepted with the registered algorithm only", async () => {
    expect(wordsOf(await authorize("edwards", await signed("edwards")))["error"]).toBe("invalid_request_object");
    expect(wordsOf(await authorize("unsigned", await signed("unsigned")))["error"]).toBe("invalid_request_object");
    const unsigned = new UnsecuredJWT(membersOf("unsigned")).encode();
    expect(wordsOf(await authorize("unsigned", unsigned))["code"]).toBeDefined();
    const forged = new UnsecuredJWT(membersOf("signs")).encode();
    expect(wordsOf(await authorize("signs", forged))["error"]).toBe("invalid_request_object");
    expect((await push("signs", { request: forged })).body["error"]).toBe("invalid_request_object");
  });

  test("cannot be verified while the client's keys are unavailable: a temporary failure", async () => {
    const request = await signed("away");
    expect(wordsOf(await authorize("away", request))).toMatchObject({
      error: "temporarily_unavailable",
      state: "signed-state",
    });
    const { status, body } = await push("away", { request });
    expect([status, body["error"]]).toEqual([500, "server_error"]);
  });
});

/** An authorization request that names the published object, as a client sends it. */
function authorizeBy(client: string, path: string, more: Readonly<Record<string, string>> = {}): Promise<Page> {
  const outer = { client_id: client, response_type: "code", scope: "openid", redirect_uri: callback, state: "outer" };
  const query = new URLSearchParams({ ...outer, request_uri: `${clientUrl}${path}`, ...more });
  return browser.get(`/oidc/authorize?${query.toString()}`, { accept: "text/html" });
}

describe("a request object at a registered request_uri", () => {
  beforeEach(() => {
    published = undefined;
    publications = 0;
  });

  test("is fetched and verified, and only its members count", async () => {
    published = await signed("publishes");
    const { code = "", state } = wordsOf(await authorizeBy("publishes", "/object#1", { scope: "openid email" }));
    expect([state, publications]).toEqual(["signed-state", 1]);
    expect((await redeem("publishes", code)).body).toMatchObject({ scope: "openid", id_token: expect.any(String) });
  });

  test("is refused with invalid_request_object if its signature is wrong or missing", async () => {
    published = await signed("publishes", {}, { key: others.privateKey });
    expect(wordsOf(await authorizeBy("publishes", "/object#2"))["error"]).toBe("invalid_request_object");
    published = new UnsecuredJWT(membersOf("publishes")).encode();
    expect(wordsOf(await authorizeBy("publishes", "/object#3"))["error"]).toBe("invalid_request_object");
  });

  test("is not fetched from another URI, even a similar one", async () => {
    published = await signed("publishes");
    for (const path of ["/object", "/object#5", "/object/", "/./object#1", "/object?a#1"]) {
      const answer = wordsOf(await authorizeBy("publishes", path));
      expect([path, answer]).toEqual([path, expect.objectContaining({ error: "invalid_request_uri", state: "outer" })]);
    }
    expect(wordsOf(await authorizeBy("signs", "/object#1"))["error"]).toBe("request_uri_not_supported");
    const { status, body } = await push("publishes", { request_uri: `${clientUrl}/object#1` });
    expect([status, body["error"], publications]).toEqual([400, "request_uri_not_supported", 0]);
  });

  test("may be unsigned for a client of any algorithm, and signed too", async () => {
    published = new UnsecuredJWT(membersOf("elsewhere")).encode();
    expect(wordsOf(await authorizeBy("elsewhere", "/object"))).toMatchObject({
      state: "signed-state",
      code: expect.any(String),
    });
    expect(wordsOf(await authorize("elsewhere", await signed("elsewhere")))["code"]).toBeDefined();
    const forged = await signed("elsewhere", {}, { key: others.privateKey });
    expect(wordsOf(await authorize("elsewhere", forged))["error"]).toBe("invalid_request_object");
  });

  test.each(["/object?missing", "/object/moved", "/silent"])(
    "at %s, which cannot be read, is invalid_request_uri",
    async (path) => {
      const answer = wordsOf(await authorizeBy("elsewhere", path));
      expect(answer).toMatchObject({ error: "invalid_request_uri", state: "outer", iss: oidc.issuer });
      await poll("the failure in the log", async () =>
        oidc.processes.some((process) => process.output().includes("published request object of an OIDC client")),
      );
    },
  );
});

messageSigning({
  stack: () => oidc,
  open: (path, headers) => browser.get(path, headers),
  signed,
  signedByAnother: (client, more) => signed(client, more, { key: others.privateKey }),
  membersOf,
  push,
  byReference,
  authorize,
  redeem,
});
