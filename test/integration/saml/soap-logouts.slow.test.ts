import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SAML } from "@node-saml/node-saml";
import { loadConfig } from "@postern/shared/platform/config";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { createLogger } from "@postern/shared/platform/logging";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBackChannel } from "../../../services/idp/src/saml/logout/back-channel.ts";
import { createLogoutTransactions } from "../../../services/idp/src/saml/logout/logout-transactions-redis.ts";
import type { DeliveryReport } from "../../../services/idp/src/saml/logout/report-delivery.ts";
import { createSoapDelivery } from "../../../services/idp/src/saml/logout/soap-delivery.ts";
import { createSoapLogouts } from "../../../services/idp/src/saml/logout/soap-logouts-redis.ts";
import { createProviders } from "../../../services/idp/src/saml/providers.ts";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { basicAuth } from "../../support/stack.ts";
import { type SamlStack, sso, startSamlStack } from "./saml-stack.ts";
import { type SoapProvider, startSoapProvider } from "./soap-provider.ts";

let saml: SamlStack;
let soap: SoapProvider;
let redis: RedisClient;

const due = "postern:saml:{logout-notices}";
const oidc = {
  enabled: true,
  clients: [{ client_id: "mail", client_secret: "s".repeat(32), redirect_uris: ["https://mail.test/"] }],
};

beforeAll(async () => {
  soap = await startSoapProvider();
  saml = await startSamlStack(soap.url, { oidc, shape: "five" });
  redis = await testRedis(saml.idp.stack.redis?.port ?? 0);
});

beforeEach(() => {
  soap.requests.length = 0;
  soap.refuse(0);
});

afterAll(async () => {
  redis.disconnect();
  await saml[Symbol.asyncDispose]();
  await soap[Symbol.asyncDispose]();
});

/** Opens a service provider in the browser; the first visit signs in. */
async function visit(browser: Browser, issuer: string): Promise<void> {
  const sp = new SAML({
    issuer,
    callbackUrl: issuer === "urn:test:signed" ? "https://wiki.example.test/acs" : "https://plain.example.test/acs",
    entryPoint: sso,
    idpCert: saml.sp.cert,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    ...(issuer === "urn:test:signed" ? { privateKey: saml.sp.key, signatureAlgorithm: "sha256" as const } : {}),
  });
  const url = new URL(await sp.getAuthorizeUrlAsync("", undefined, {}));
  const page = await browser.open(`${url.pathname}${url.search}`);
  if (page.text.includes("SAMLResponse")) return;
  const answer = await browser.submit(page, { username: "alice@example.test", password: "alice-demo-password" });
  expect((await browser.open(answer.location ?? "")).text).toContain("SAMLResponse");
}

async function signedIn(...issuers: readonly string[]): Promise<Browser> {
  const browser = createBrowser(saml.idp.replicas);
  for (const issuer of issuers) await visit(browser, issuer);
  return browser;
}

const sessionIndexes = (): readonly string[] =>
  soap.requests.map((body) => /SessionIndex[^>]*>([^<]+)</.exec(body)?.[1] ?? "");

async function endAllSessions(): Promise<void> {
  const headers = { authorization: basicAuth };
  const url = `${saml.idp.stack.url}/api/v1/oidc/sessions/alice@example.test`;
  expect((await fetch(url, { method: "DELETE", headers })).status).toBe(204);
}

const isQueueEmpty = async (): Promise<boolean> => (await redis.zcard(due)) === 0;

describe("a session that is ended without its browser", () => {
  test("by an operator: service providers with SOAP are notified once, and the others are reported", async () => {
    const browsers = await Promise.all([1, 2, 3, 4].map(() => signedIn("urn:test:plain")));
    await visit(browsers[0] ?? createBrowser([]), "urn:test:signed");
    await endAllSessions();
    await poll("the notifications", async () => soap.requests.length >= 4 && (await isQueueEmpty()));
    expect(new Set(sessionIndexes()).size).toBe(4);
    expect(soap.requests).toHaveLength(4);
    const metrics = await saml.idp.first.metrics();
    expect(metrics).toMatch(/saml_logout_notices_total\{channel="none",result="not_told"\} 1/);
    const line = /"event":"saml.logout","outcome":"failed","target":"urn:test:signed","reason":"not_told"/;
    await poll("the audit line", () => line.test(saml.idp.first.output()));
  });

  test("by its user on another device", async () => {
    const [gone, here] = [await signedIn("urn:test:plain"), await signedIn("urn:test:plain")];
    const list = await here.open("/mfa/sessions");
    const token = /name="csrf_token" value="([^"]+)"/.exec(list.text)?.[1] ?? "";
    await here.post("/mfa/sessions", { csrf_token: token, _method: "DELETE" });
    await poll("the notifications", () => soap.requests.length === 1);
    expect((await gone.get("/mfa/sessions")).status).toBe(401);
  });
});

describe("an unavailable service provider", () => {
  test("is notified once when it is available again", async () => {
    soap.refuse(4);
    await signedIn("urn:test:plain");
    await endAllSessions();
    await poll("the notifications", async () => soap.requests.length >= 5 && (await isQueueEmpty()));
    expect(soap.requests.filter((body) => body.includes("alice@example.test")).length).toBeGreaterThanOrEqual(5);
  });

  test("is notified by the other replica once the lease of a killed replica has expired", async () => {
    soap.hangs = true;
    const browser = createBrowser([saml.idp.replicas[0]]);
    await visit(browser, "urn:test:plain");
    const leaving = browser.submit(await browser.open("/logout"), {}).catch(() => undefined);
    await poll("the first attempt", () => soap.requests.length === 1);
    saml.idp.first.signal("SIGKILL");
    await leaving;
    soap.hangs = false;
    const [id = "", dueMs = 0] = await redis.zrange(due, "0", "-1", "WITHSCORES");
    expect(Number(dueMs) - Date.now()).toBeGreaterThan(5000);
    expect(soap.requests).toHaveLength(1);
    // Makes the lease expire.
    await redis.zadd(due, 0, id);
    await poll("the second attempt", async () => soap.requests.length === 2 && (await isQueueEmpty()));
    expect(new Set(sessionIndexes()).size).toBe(1);
  });
});

/** The delivery of one replica, constructed directly. */
async function deliveryOf(keyPrefix: string, giveUpMs: number, reported: DeliveryReport[]) {
  const text = await readFile(saml.idp.stack.configFile, "utf8");
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!("config" in loaded)) throw new Error("the configuration is invalid");
  const stored = { redis, keyPrefix, keys: createKeyRing([new Secret("a-secret-of-sixteen-bytes")], "saml") };
  const certificate = new X509Certificate(saml.sp.cert).raw.toString("base64");
  const signer = { key: createPrivateKey(saml.sp.key), certificate, published: [certificate] };
  const backChannel = createBackChannel({
    clock: systemClock,
    issuer: () => "urn:test:idp",
    timeoutMs: () => 1000,
    retries: () => 0,
    onRefused: () => undefined,
  });
  const { saml: samlConfig, mfa_policy: mfaPolicy } = loaded.config.identity;
  return createSoapDelivery({
    deliveries: createSoapLogouts(stored),
    transactions: createLogoutTransactions(stored),
    providers: () => createProviders(samlConfig, () => undefined, systemClock, mfaPolicy),
    keys: async () => signer,
    send: backChannel,
    report: (outcome) => reported.push(outcome),
    logger: createLogger({ service: "test", instance: "test", level: "error" }).logger,
    sharedClock: systemClock,
    isReady: () => true,
    giveUpMs,
  });
}

const logoutOf = (sessionIndex: string) => ({
  entityId: "urn:test:plain",
  nameId: { format: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified", value: "alice" },
  sessionIndex,
  endedMs: Date.now(),
});

describe("stored logout notifications", () => {
  test("are delivered once when two replicas read the queue at the same time", async () => {
    const reported: DeliveryReport[] = [];
    const replicas = await Promise.all([1, 2].map(() => deliveryOf("race:", 60_000, reported)));
    await replicas[0]?.enqueue(Array.from({ length: 60 }, (_, index) => logoutOf(`_s${index}`)));
    for (const replica of replicas) replica.start();
    await poll("an empty queue", async () => (await redis.zcard("race:saml:{logout-notices}")) === 0);
    await Promise.all(replicas.map((replica) => replica.close()));
    expect(new Set(sessionIndexes()).size).toBe(60);
    expect(reported.filter(({ result }) => result === "done")).toHaveLength(60);
  });

  test("are not retried if the response is signed with an unsupported algorithm", async () => {
    soap.signature = "sha1";
    const reported: DeliveryReport[] = [];
    const replica = await deliveryOf("final:", 60_000, reported);
    replica.start();
    await replica.enqueue([logoutOf("_s")]);
    await poll("the report", () => reported.length > 0);
    await replica.close();
    soap.signature = "none";
    expect(reported.map(({ result }) => result)).toEqual(["refused"]);
    expect(await redis.keys("final:saml:{logout-notices}*")).toEqual([]);
  });

  test("are given up after the maximum time, which is reported", async () => {
    soap.refuse(100);
    const reported: DeliveryReport[] = [];
    const replica = await deliveryOf("late:", 2500, reported);
    replica.start();
    await replica.enqueue([logoutOf("_s")]);
    await poll("the report", () => reported.some(({ result }) => result === "given_up"));
    await replica.close();
    expect(reported.map(({ result }) => result)).toEqual(["retried", "given_up"]);
    expect(await redis.keys("late:saml:{logout-notices}*")).toEqual([]);
  });
});
