import { DatabaseSync } from "node:sqlite";
import { digestOf } from "@postern/shared/platform/crypto";
import { passkeyAttemptsKey } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";
import { addPasskey, csrfIn, fetchPublicKeyOptions, home, signInWithPasskey } from "./passkey-steps.ts";

let idp: IdpStack;

beforeAll(async () => {
  idp = await startIdpStack({}, { gateway: false, shape: "five" });
});

afterAll(() => idp[Symbol.asyncDispose]());

const accepted = { result: [200, { redirect: home }], isIn: true };

test("successful passkeys and passkeys that could not be verified do not count towards the limit of an address", async () => {
  using backend = new DatabaseSync(idp.directoryFile);
  backend.exec("DELETE FROM postern_webauthn WHERE account = 'alice@example.test'");
  const { key } = await addPasskey(idp, "alice");
  const office = "203.0.113.90";
  for (let count = 0; count < 62; count += 1) expect(await signInWithPasskey(idp, key, office)).toEqual(accepted);
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  const name = passkeyAttemptsKey.build("postern:", digestOf(office).toString("base64url"));
  expect(await redis.get(name)).toBe("0");
  const browser = createBrowser(idp.replicas, office);
  const login = await browser.open(home);
  const credential = key.get(
    await fetchPublicKeyOptions(browser, login.url.replace("/login?", "/login/webauthn/begin?")),
  );
  for (const engine of idp.stack.engines) engine.signal("SIGSTOP");
  const headers = { "content-type": "application/json", "x-csrf-token": csrfIn(login) };
  const body = JSON.stringify({ credential });
  const answer = await browser.send("/login/webauthn/finish", { method: "POST", headers, body });
  for (const engine of idp.stack.engines) engine.signal("SIGCONT");
  expect([answer.status, await redis.get(name)]).toEqual([500, "0"]);
  redis.disconnect();
});
