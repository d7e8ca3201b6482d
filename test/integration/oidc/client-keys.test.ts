import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { poll } from "@postern/testing";
import { type JWTHeaderParameters, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";

const scope = "service:authenticate";
const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const [single, first, second, published, unregistered] = [rsa(), rsa(), rsa(), rsa(), rsa()] as const;
const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" });

function jwk(key: KeyObject, kid?: string) {
  return { ...key.export({ format: "jwk" }), use: "sig", ...(kid === undefined ? {} : { kid }) };
}

/** The key set endpoint of a client. It publishes `keys` while its mode is `well`. */
const newSite = () => ({
  mode: "well" as "well" | "broken" | "redirects" | "hangs",
  keys: [jwk(published.publicKey, "now")] as unknown[],
  requestCount: 0,
});
const sites = {
  plain: newSite(),
  broken: newSite(),
  redirects: newSite(),
  hangs: newSite(),
  hostile: newSite(),
};
const server = createServer(({ url }, response) => {
  const site = Object.entries(sites).find(([name]) => url === `/${name}`)?.[1];
  if (site === undefined) return void response.writeHead(404).end();
  site.requestCount += 1;
  if (site.mode === "hangs") return;
  if (site.mode === "redirects") response.writeHead(302, { location: "/other" }).end();
  else if (site.mode === "broken") response.writeHead(500).end();
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: site.keys }));
});

let oidc: OidcStack;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const rules = {
    token_endpoint_auth_method: "private_key_jwt",
    scopes: ["openid", scope],
    redirect_uris: [callback],
    grant_types: ["authorization_code", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"],
  };
  const uri = (name: string) => `http://127.0.0.1:${port}/${name}`;
  const listed = { keys: [jwk(first.publicKey, "one"), jwk(second.publicKey, "two"), jwk(elliptic.publicKey)] };
  oidc = await startOidcStack(
    [
      { ...rules, client_id: "pem", client_public_key: single.publicKey.export({ type: "spki", format: "pem" }) },
      { ...rules, client_id: "listed", jwks: JSON.stringify(listed) },
      ...Object.keys(sites).map((name) => ({ ...rules, client_id: name, jwks_uri: uri(name) })),
    ],
    {},
    { gateway: false },
  );
});

afterAll(async () => {
  await oidc[Symbol.asyncDispose]();
  server.closeAllConnections();
  server.close();
});

async function ask(client: string, key: KeyObject, header: Partial<JWTHeaderParameters> = {}, path = "/oidc/token") {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: client, sub: client, aud: oidc.issuer, iat: now, exp: now + 60, jti: randomUUID() };
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", ...header }).sign(key);
  const form: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "/oidc/token": { grant_type: "client_credentials", scope },
    "/oidc/par": {
      response_type: "code",
      redirect_uri: callback,
      scope: "openid",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
    },
    "/oidc/device": { scope: "openid" },
  };
  const body = new URLSearchParams({
    client_id: client,
    client_assertion: assertion,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    ...(form[path] ?? { token: "x" }),
  });
  const response = await oidc.ask(0, path, { method: "POST", body });
  return { status: response.status, text: await response.text() };
}

const statusOf = async (...call: Parameters<typeof ask>): Promise<number> => (await ask(...call)).status;

test.each(["/oidc/token", "/oidc/par", "/oidc/device", "/oidc/introspect", "/oidc/revoke"])(
  "%s accepts any kid for a key without one, and rejects other keys",
  async (path) => {
    for (const header of [{}, { kid: "client" }, { kid: "2026-key-1" }]) {
      expect(await statusOf("pem", single.privateKey, header, path)).toBeLessThan(300);
    }
    expect(await statusOf("pem", unregistered.privateKey, { kid: "client" }, path)).toBe(401);
  },
);

test("a request without the assertion is rejected", async () => {
  const body = new URLSearchParams({ client_id: "pem", grant_type: "client_credentials", scope });
  expect((await oidc.ask(0, "/oidc/token", { method: "POST", body })).status).toBe(401);
  body.set("client_secret", "anything");
  expect((await oidc.ask(0, "/oidc/token", { method: "POST", body })).status).toBe(401);
});

test("kid selects one of several keys; without kid, the keys for the algorithm are tried", async () => {
  expect(await statusOf("listed", first.privateKey, { kid: "one" })).toBe(200);
  expect(await statusOf("listed", second.privateKey, { kid: "two" })).toBe(200);
  expect(await statusOf("listed", second.privateKey, { kid: "one" })).toBe(401);
  expect(await statusOf("listed", second.privateKey)).toBe(200);
  expect(await statusOf("listed", second.privateKey, { kid: "unknown" })).toBe(401);
  expect(await statusOf("listed", elliptic.privateKey, { alg: "ES256", kid: "unknown" })).toBe(200);
  await poll("the reason in the log", async () =>
    oidc.processes.some((process) => /"client":"listed","reason":"no_key"/.test(process.output())),
  );
});

// client-key-sets.test.ts proves when a key set is fetched again, by a clock.
describe.concurrent("keys that the client publishes", () => {
  test("are fetched once for many assertions", async () => {
    for (let count = 0; count < 5; count += 1) {
      expect(await statusOf("plain", published.privateKey, { kid: "now" })).toBe(200);
    }
    expect(sites.plain.requestCount).toBe(1);
  });

  test.each(["broken", "redirects", "hangs"] as const)("cause a temporary failure if the endpoint %s", async (mode) => {
    sites[mode].mode = mode;
    const { status, text } = await ask(mode, published.privateKey, { kid: "now" });
    expect([status, JSON.parse(text).error]).toEqual([500, "server_error"]);
    expect(sites[mode].requestCount).toBe(1);
  });

  test("are not fetched again for each unknown kid", async () => {
    const site = sites.hostile;
    const tries = Array.from({ length: 40 }, (_, index) =>
      statusOf("hostile", unregistered.privateKey, { kid: `k${index}` }),
    );
    expect(new Set(await Promise.all(tries))).toEqual(new Set([401]));
    expect(site.requestCount).toBe(1);
  });
});
