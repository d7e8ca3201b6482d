import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { type MailIssuer, registerMailClient } from "../../support/mail-client.ts";
import { askReplicas } from "../../support/oidc-stack.ts";
import { testRedis } from "../../support/redis-content.ts";
import { basicAuth } from "../../support/stack.ts";
import { assertionSecret } from "../../support/stack-config.ts";
import { follow, issuer } from "../idp/authorization.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

let idp: IdpStack;
let site: MailIssuer;
const limits = { max_registrations: 20, max_pending_per_network: 3, per_minute: 5 };
const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });

beforeAll(async () => {
  idp = await startIdpStack(
    {
      identity: { oidc: { enabled: true, issuer, mail_registration: { enabled: true, ...limits } } },
    },
    { shape: "five" },
  );
  site = { issuer, replicas: idp.replicas, ask: askReplicas(idp.replicas) };
});

afterAll(() => idp[Symbol.asyncDispose]());

/** A registration from an address, at one of the replicas. */
async function register(clientIp: string, turn: number) {
  const assertion = await sign({ method: "none", scopes: [], clientIp, session: `session-${turn}` }, "idp");
  const response = await fetch(`${idp.replicas[turn % 2]}/oidc/register`, {
    method: "POST",
    headers: { "content-type": "application/json", [callerAssertionHeader]: assertion },
    body: JSON.stringify({ client_name: "Flood", redirect_uris: ["http://127.0.0.1/callback"] }),
  });
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: await response.json() };
}

test("a flood of registrations is refused, is bounded, and leaves a registered mail client able to sign in", async () => {
  const mail = await registerMailClient(site);
  const networks = Array.from({ length: 20 }, (_, index) => `198.51.100.${index}`);
  const answers = await Promise.all(networks.flatMap((from) => [0, 1, 2, 3, 4, 5].map((turn) => register(from, turn))));
  const refused = answers.filter(({ status }) => status !== 201);
  expect(answers.length - refused.length).toBe(limits.max_registrations - 1);
  for (const { status, retryAfter, body } of refused) {
    expect([status, body]).toEqual([
      expect.toBeOneOf([429, 503]),
      expect.objectContaining({ error: "temporarily_unavailable" }),
    ]);
    expect(retryAfter).toBe(status === 429 ? "60" : "3600");
  }
  // The limit of a network holds, whichever replica it asks, and then that of the site.
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429, 503]));

  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  const keys = (await redis.keys("*")).filter((key) => key.includes("regist"));
  redis.disconnect();
  // A record for each, the index, and for each network its unused ones and its requests of this minute.
  expect(keys.length).toBeLessThanOrEqual(limits.max_registrations + 1 + 2 * (networks.length + 1));
  const listed = await fetch(`${idp.stack.url}/api/v1/oidc/clients`, { headers: { authorization: basicAuth } });
  expect(Object(await listed.json()).clients).toHaveLength(limits.max_registrations);

  const browser = createBrowser(idp.replicas);
  const login = await follow(browser, await mail.toConsent(browser));
  expect([login.status, login.url]).toEqual([200, expect.stringMatching(/^\/login\?/u)]);
});
