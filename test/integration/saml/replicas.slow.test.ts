import { SAML } from "@node-saml/node-saml";
import { pause, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { keyPair } from "./key-pair.ts";
import { entityId, slo, sso } from "./saml-stack.ts";

let idp: IdpStack;
let sp: SAML;

const alice = { username: "alice@example.test", password: "alice-demo-password" };

beforeAll(async () => {
  await using folder = await scratchFolder();
  const { key, cert } = await keyPair(folder.path, "sp");
  const acsUrl = "https://sp.example.test/acs";
  idp = await startIdpStack(
    {
      // Commands to the Redis that hangs are given up within the test, and those of 100 parallel requests are not.
      runtime: { timeouts: { redis_read: "4s", redis_write: "4s" } },
      identity: {
        saml: {
          enabled: true,
          entity_id: entityId,
          persistent_id_secret: "a-secret-that-is-kept-for-ever",
          // Replicas read the keys again after a quarter of it.
          key_publish_delay: "4s",
          service_providers: [
            { entity_id: "urn:test:sp", acs_url: acsUrl, slo_url: acsUrl, cert, authn_requests_signed: true },
          ],
        },
      },
    },
    { gateway: false, shape: "five" },
  );
  sp = new SAML({
    issuer: "urn:test:sp",
    callbackUrl: acsUrl,
    entryPoint: sso,
    logoutUrl: slo,
    idpCert: "unused",
    disableRequestedAuthnContext: true,
    privateKey: key,
    publicCert: cert,
    signatureAlgorithm: "sha256",
  });
});

afterAll(() => idp[Symbol.asyncDispose]());

const pathOf = (url: string): string => url.slice(new URL(url).origin.length);
const signIn = async (): Promise<string> => pathOf(await sp.getAuthorizeUrlAsync("state", undefined, {}));
const browserAt = (index: number): Browser => createBrowser([idp.replicas[index % 2] ?? ""]);
const metadata = async (): Promise<readonly number[]> =>
  Promise.all([0, 1].map(async (index) => (await browserAt(index).get("/saml/metadata")).status));

describe("metadata", () => {
  test("returns 500 while the shared keys cannot be decrypted, and no new keys are created", async () => {
    const port = idp.stack.redis?.port ?? 0;
    const redis = await testRedis(port);
    const key = "postern:saml:{signing-keys}";
    await redis.set(key, "encrypted with another secret");
    const page = await browserAt(0).get("/saml/metadata");
    expect([page.status, await redis.get(key)]).toEqual([500, "encrypted with another secret"]);
    await redis.del(key);
    redis.disconnect();
    expect((await browserAt(0).get("/saml/metadata")).status).toBe(200);
  });
});

describe("a message is accepted once", () => {
  test("among 100 parallel requests on two replicas", async () => {
    const request = await signIn();
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => (await browserAt(index).get(request)).status),
    );
    expect(statuses.filter((status) => status === 302)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(99);
  });

  test("when the user continues in parallel after the sign-in", async () => {
    const browser = createBrowser(idp.replicas);
    const login = await browser.open(await signIn());
    const answer = await browser.submit(login, alice);
    const pages = await Promise.all(Array.from({ length: 20 }, () => browser.get(answer.location ?? "")));
    expect(pages.filter(({ text }) => text.includes('name="SAMLResponse"'))).toHaveLength(1);
  });
});

test("a user who cancels at the second factor returns to the service provider with AuthnFailed", async () => {
  const browser = createBrowser(idp.replicas);
  const login = await browser.open(await signIn());
  const answer = await browser.submit(login, { username: "bob@example.test", password: "bob-demo-password" });
  const factor = await browser.open(answer.location ?? "");
  expect(factor.text).toContain("Two-step verification");
  const cancel = () => browser.post("/login/cancel", hiddenFields(factor));
  const clicks = await Promise.all([cancel(), cancel()]);
  const answered = await browser.open(clicks[0]?.location ?? "");
  const { SAMLResponse: response = "", RelayState: state } = hiddenFields(answered);
  expect(Buffer.from(response, "base64").toString("utf8")).toContain("urn:oasis:names:tc:SAML:2.0:status:AuthnFailed");
  expect([clicks[1]?.location, state]).toEqual([clicks[0]?.location, "state"]);
});

describe("while Redis hangs", () => {
  test("metadata is served, and every message is rejected in time with a 500 page", async () => {
    const server = idp.stack.redis;
    if (server === undefined) throw new Error("no Redis");
    const nameIDFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
    const profile = { issuer: entityId, nameID: "unknown", nameIDFormat, sessionIndex: "_none" };
    const form = { SAMLRequest: Buffer.from("<a/>").toString("base64") };
    const logout = async (): Promise<string> => pathOf(await sp.getLogoutUrlAsync(profile, "", {}));
    const messages = await Promise.all(
      [0, 1].map(async (index) => ({
        index,
        paths: [await signIn(), "/saml/sso?request=none", await logout()],
      })),
    );
    // Makes each replica read its keys.
    await metadata();
    await pause(server);
    const seen: (readonly number[])[] = [];
    const [answers, forged] = await Promise.all([
      Promise.all(messages.flatMap(({ index, paths }) => paths.map(async (path) => browserAt(index).get(path)))),
      Promise.all([0, 1].map(async (index) => (await browserAt(index).post("/saml/slo", form)).status)),
    ]);
    const readAgainMs = 1000;
    for (const since = performance.now(); performance.now() - since < 2 * readAgainMs; ) seen.push(await metadata());
    server.signal("SIGCONT");
    expect(new Set(seen.flat())).toEqual(new Set([200]));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 500));
    for (const { headers } of answers) expect(headers.get("content-type")).toContain("text/html");
    expect(forged).toEqual([400, 400]);
    const browser = createBrowser(idp.replicas);
    await poll("an accepted request after the outage", async () => (await browser.get(await signIn())).status === 302);
  });
});
