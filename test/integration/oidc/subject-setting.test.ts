import { expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf } from "../../support/oidc-user.ts";
import { relyingParty } from "../../support/relying-party.ts";

const local = (url = ""): string => url.slice(url.startsWith("http") ? new URL(url).origin.length : 0);

test("with identity.subject set to account, sub is the account name", async () => {
  await using oidc = await startOidcStack(
    undefined,
    {},
    { mapsUniqueId: true, identity: { subject: "account" }, gateway: false },
  );
  const browser = createBrowser(oidc.replicas);
  const party = relyingParty(oidc, "demo-web");
  const page = await browser.get(local((await party.authorize(browser)).location));
  const accepted = await browser.submit(page, { username: "alice@example.test", password: "alice-demo-password" });
  const { body } = await party.redeem(await browser.get(local(accepted.location)));
  expect(claimsOf(body["id_token"])["sub"]).toBe("alice@example.test");
});
