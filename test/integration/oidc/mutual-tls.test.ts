import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { RedisClient } from "@postern/shared/platform/redis";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { makeCertificate, makeSignedCertificate } from "../../support/certificates.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { answerOf } from "../../support/relying-party.ts";

const scope = "service:authenticate";
const verifier = "M25iVXpKU3puUjFaYWg3T1NDTDQtcW1ROUY5YXlwalNoc0hhakxifmZHag";

let oidc: OidcStack;
let redis: RedisClient;
let folder: Awaited<ReturnType<typeof scratchFolder>>;
let mutualPort: number;

const file = (name: string): string => join(folder.path, name);
const pemOf = (name: string): Promise<string> => readFile(file(`${name}.crt`), "utf8");

beforeAll(async () => {
  folder = await scratchFolder();
  for (const name of ["server", "authority", "stranger", "self", "other"]) {
    await makeCertificate(folder.path, name, `/CN=${name}.example.test`);
  }
  const subject = "/C=DE/O=Bank/CN=bank.example.test";
  await makeSignedCertificate(folder.path, { name: "bank", subject, issuer: "authority" });
  await makeSignedCertificate(folder.path, { name: "forged", subject, issuer: "stranger" });
  await makeSignedCertificate(folder.path, { name: "neighbour", subject: "/C=DE/O=Bank/CN=b", issuer: "authority" });
  mutualPort = await freePort();
  const selfKey = new X509Certificate(await pemOf("self")).publicKey.export({ format: "jwk" });
  const rules = { scopes: ["openid", "email", "offline_access", scope], redirect_uris: [callback], skip_consent: true };
  const grants = { grant_types: ["authorization_code", "client_credentials"] };
  oidc = await startOidcStack(
    [
      {
        ...rules,
        ...grants,
        client_id: "bank",
        token_endpoint_auth_method: "tls_client_auth",
        tls_client_auth_subject_dn: "CN=bank.example.test,O=Bank,C=DE",
        tls_client_certificate_bound_access_tokens: true,
      },
      {
        ...rules,
        ...grants,
        client_id: "self",
        token_endpoint_auth_method: "self_signed_tls_client_auth",
        jwks: JSON.stringify({ keys: [selfKey] }),
        tls_client_certificate_bound_access_tokens: true,
        access_token_type: "jwt",
      },
    ],
    { mtls_url: `https://127.0.0.1:${mutualPort}` },
    {
      http: {
        tls: { enabled: true, cert: file("server.crt"), key: file("server.key") },
        client_certificates: {
          address: [`127.0.0.1:${mutualPort}`],
          ca_file: file("authority.crt"),
          header: "X-Client-Cert",
          verify_header: "X-Client-Verify",
        },
      },
    },
  );
  redis = await testRedis(oidc.stack.redis?.port ?? 0);
});

afterAll(async () => {
  redis.disconnect();
  await oidc[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

interface Answer {
  readonly status: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(port: number, path: string, form: Readonly<Record<string, string>>, options: RequestOptions) {
  const agent = new Agent({ keepAlive: false });
  const url = `https://127.0.0.1:${port}${path}`;
  const headers = { "content-type": "application/x-www-form-urlencoded", ...Object(options.headers) };
  const sent = request(url, { method: "POST", ...options, headers, agent, rejectUnauthorized: false });
  sent.end(options.method === "GET" ? "" : new URLSearchParams(form).toString());
  const [response]: IncomingMessage[] = await once(sent, "response");
  if (response === undefined) throw new Error("no response");
  const answered = await text(response);
  const answer: Answer = { status: response.statusCode, body: answered === "" ? {} : Object(JSON.parse(answered)) };
  return answer;
}

/** Connects with this certificate, if any, to the listener that asks for one. */
async function direct(path: string, form: Readonly<Record<string, string>>, name?: string, more: RequestOptions = {}) {
  const pair = name === undefined ? {} : { cert: await pemOf(name), key: await readFile(file(`${name}.key`)) };
  return send(mutualPort, path, form, { ...more, ...pair });
}

/** Connects as a proxy that has verified this certificate. */
async function proxied(
  path: string,
  form: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  localAddress = "127.0.0.1",
) {
  return send(oidc.stack.httpPort, path, form, { headers, localAddress });
}

const credentials = (client: string) => ({ client_id: client, grant_type: "client_credentials", scope });
const statusOf = async (answer: Promise<Answer>): Promise<number | undefined> => (await answer).status;

async function thumbprint(name: string): Promise<string> {
  return createHash("sha256")
    .update(new X509Certificate(await pemOf(name)).raw)
    .digest("base64url");
}

async function rfc9440(name: string): Promise<string> {
  return `:${new X509Certificate(await pemOf(name)).raw.toString("base64")}:`;
}

async function tokensOf(client: string, name: string): Promise<Answer["body"]> {
  const browser = createBrowser(oidc.replicas);
  const [cookie = "", sid = ""] = (await signedIn(redis)).split("=");
  browser.cookies.set(cookie, sid);
  const query = new URLSearchParams({
    client_id: client,
    response_type: "code",
    redirect_uri: callback,
    scope: "openid email offline_access",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const code = answerOf(await browser.get(`/oidc/authorize?${query.toString()}`)).get("code") ?? "";
  const grant = { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
  const { status, body } = await direct("/oidc/token", { ...grant, client_id: client }, name);
  expect([status, body["token_type"]]).toEqual([200, "Bearer"]);
  return body;
}

describe("tls_client_auth", () => {
  test.each<readonly [string, string | undefined, number]>([
    ["with the registered subject is accepted", "bank", 200],
    ["with another subject is rejected", "neighbour", 401],
    ["of another CA is rejected", "forged", 401],
    ["that signed itself is rejected", "self", 401],
    ["that is missing is rejected", undefined, 401],
  ])("a certificate %s", async (_what, name, status) => {
    expect(await statusOf(direct("/oidc/token", credentials("bank"), name))).toBe(status);
    const introspection = direct("/oidc/introspect", { client_id: "bank", token: "x" }, name);
    expect(await statusOf(introspection)).toBe(status);
    expect(await statusOf(direct("/oidc/revoke", { client_id: "bank", token: "x" }, name))).toBe(status);
  });

  test("other credentials do not replace the certificate, and the reason is in the log", async () => {
    const more = { ...credentials("bank"), client_secret: "x" };
    expect(await statusOf(direct("/oidc/token", more, "bank"))).toBe(401);
    await direct("/oidc/token", credentials("bank"), "forged");
    await poll("the reason in the log", async () =>
      oidc.processes.some((process) => /"client":"bank","reason":"untrusted_certificate"/.test(process.output())),
    );
  });
});

describe("self_signed_tls_client_auth", () => {
  test("a certificate with the registered key is accepted, and no other", async () => {
    expect(await statusOf(direct("/oidc/token", credentials("self"), "self"))).toBe(200);
    expect(await statusOf(direct("/oidc/token", credentials("self"), "other"))).toBe(401);
    expect(await statusOf(direct("/oidc/token", credentials("self"), "bank"))).toBe(401);
    expect(await statusOf(direct("/oidc/token", credentials("self")))).toBe(401);
  });
});

describe("a certificate in the header of a trusted proxy", () => {
  test("is read in both formats, and its verification too", async () => {
    const verified = { "x-client-verify": "SUCCESS" };
    const escaped = { ...verified, "x-client-cert": encodeURIComponent(await pemOf("bank")) };
    expect(await statusOf(proxied("/oidc/token", credentials("bank"), escaped))).toBe(200);
    const encoded = { ...verified, "x-client-cert": await rfc9440("bank") };
    expect(await statusOf(proxied("/oidc/token", credentials("bank"), encoded))).toBe(200);
    const unverified = { "x-client-verify": "FAILED:unable to verify", "x-client-cert": await rfc9440("bank") };
    expect(await statusOf(proxied("/oidc/token", credentials("bank"), unverified))).toBe(401);
    expect(
      await statusOf(proxied("/oidc/token", credentials("self"), { "x-client-cert": await rfc9440("self") })),
    ).toBe(200);
    expect(await statusOf(proxied("/oidc/token", credentials("self"), { "x-client-cert": ":AAAA:" }))).toBe(401);
  });

  test("is ignored from any other peer, and on the listener that asks for certificates itself", async () => {
    const headers = { "x-client-verify": "SUCCESS", "x-client-cert": await rfc9440("bank") };
    expect(await statusOf(proxied("/oidc/token", credentials("bank"), headers, "127.0.0.9"))).toBe(401);
    await poll("the warning", async () => oidc.stack.gateway.output().includes("not a trusted proxy was ignored"));
    expect(await statusOf(direct("/oidc/token", credentials("bank"), "other", { headers }))).toBe(401);
    const inner = {
      "x-service-client-certificate": new X509Certificate(await pemOf("bank")).raw.toString("base64url"),
    };
    expect(await statusOf(proxied("/oidc/token", credentials("bank"), inner))).toBe(401);
  });
});

describe("a token bound to a certificate", () => {
  test.each(["bank", "self"])("is accepted with the certificate only (%s)", async (name) => {
    const { access_token: token, refresh_token: refresh } = await tokensOf(name, name);
    const headers = { authorization: `Bearer ${String(token)}` };
    const userinfo = (with_?: string) => direct("/oidc/userinfo", {}, with_, { method: "GET", headers });
    expect(await userinfo(name)).toMatchObject({ status: 200, body: { sub: "alice@example.test" } });
    expect(await statusOf(userinfo("other"))).toBe(401);
    expect(await statusOf(userinfo())).toBe(401);
    const cnf = { "x5t#S256": await thumbprint(name) };
    const seen = await direct("/oidc/introspect", { client_id: name, token: String(token) }, name);
    expect(seen.body).toMatchObject({ active: true, token_type: "Bearer", cnf });
    if (name === "self") expect(decodeJwt(String(token))).toMatchObject({ cnf });
    const again = { grant_type: "refresh_token", refresh_token: String(refresh), client_id: name };
    expect(await statusOf(direct("/oidc/token", again, name))).toBe(200);
  });
});

test("discovery lists methods, bound tokens and the endpoints that ask for certificates", async () => {
  const response = await oidc.ask(0, "/.well-known/openid-configuration");
  const body = JSON.parse(await response.text());
  const base = `https://127.0.0.1:${mutualPort}`;
  expect(body).toMatchObject({
    tls_client_certificate_bound_access_tokens: true,
    mtls_endpoint_aliases: { token_endpoint: `${base}/oidc/token`, userinfo_endpoint: `${base}/oidc/userinfo` },
  });
  for (const endpoint of ["token", "introspection", "revocation"]) {
    expect(body[`${endpoint}_endpoint_auth_methods_supported`]).toEqual(
      expect.arrayContaining(["tls_client_auth", "self_signed_tls_client_auth", "private_key_jwt"]),
    );
  }
});
