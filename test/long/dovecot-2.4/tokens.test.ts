import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { connectLines } from "../../support/line-client.ts";
import { callback, startOidcStack } from "../../support/oidc-stack.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { askInTurn, relyingParty } from "../../support/relying-party.ts";
import { type Dovecot24, prepareRoot, shipped, spawnDovecot24 } from "./debian-13.ts";

const account = "alice@example.test";
const owned = new AsyncDisposableStack();
let dovecot: Dovecot24;
let token: string;
let revoke: () => Promise<unknown>;

beforeAll(async () => {
  await prepareRoot();
  const scopes = ["openid", "profile", "email", "offline_access"];
  const oidc = owned.use(
    await startOidcStack([
      { client_id: "app", client_secret: "app-secret", redirect_uris: [callback], scopes, skip_consent: true },
      { client_id: "dovecot", client_secret: "dovecot-secret", resource_server: true, scopes: [], grant_types: [] },
    ]),
  );
  const redis = await testRedis(oidc.stack.redis?.port ?? 0);
  owned.defer(() => redis.disconnect());
  const browser = createBrowser(oidc.replicas);
  const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
  browser.cookies.set(name, sid);
  const party = relyingParty(oidc, "app");
  token = String((await party.redeem(await party.authorize(browser))).body["access_token"]);
  const form = new URLSearchParams({ token, client_id: "app", client_secret: "app-secret" });
  revoke = () => askInTurn(oidc, "/oidc/revoke", { method: "POST", body: form });
  const config = (await shipped("dovecot-oauth2.conf")).replace(
    "https://dovecot:change-me@id.example.com",
    oidc.issuer.replace("http://", "http://dovecot:dovecot-secret@"),
  );
  dovecot = owned.use(await spawnDovecot24(config));
}, 900_000);

afterAll(() => owned.disposeAsync());

async function signIn(mechanism: "OAUTHBEARER" | "XOAUTH2", value: string): Promise<string> {
  const bearer = `auth=Bearer ${value}\x01\x01`;
  const text = mechanism === "OAUTHBEARER" ? `n,a=${account},\x01${bearer}` : `user=${account}\x01${bearer}`;
  await using client = await connectLines(dovecot.imapPort);
  await client.until(/^\* OK/);
  client.send(`a AUTHENTICATE ${mechanism} ${btoa(text)}`);
  const answer = await client.until(/^(?:a|\+) /);
  if (!answer.startsWith("+")) return answer;
  // RFC 7628 3.2.3; XOAUTH2 has an empty response.
  client.send(mechanism === "OAUTHBEARER" ? "AQ==" : "");
  return await client.until(/^a /);
}

test("Dovecot introspects tokens with the credentials in the URL, and rejects a revoked one", async () => {
  expect(await signIn("OAUTHBEARER", token)).toMatch(/^a OK/);
  expect(await signIn("XOAUTH2", token)).toMatch(/^a OK/);
  expect(await signIn("OAUTHBEARER", "nonsense")).toMatch(/^a NO/);
  await revoke();
  expect(await signIn("OAUTHBEARER", token)).toMatch(/^a NO/);
});
