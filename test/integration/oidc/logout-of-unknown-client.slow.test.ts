import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { poll, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { callback, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { relyingParty, startBackChannel } from "../../support/relying-party.ts";

const account = "alice@example.test";

test("a replica that does not know a client leaves its logout notification to one that does", async () => {
  // The receiver has a certificate of the site's own CA.
  await using folder = await scratchFolder();
  await makeCertificate(folder.path, "site", "/CN=localhost");
  const [cert = "", key = ""] = await Promise.all(
    ["crt", "key"].map((kind) => readFile(join(folder.path, `site.${kind}`), "utf8")),
  );
  await using channel = await startBackChannel({ cert, key });
  const operator = {
    client_id: "m2m",
    client_secret: "m2m-secret",
    grant_types: ["client_credentials"],
    scopes: ["service:authenticate", "service:security"],
  };
  const web = {
    client_id: "web",
    client_secret: "web-secret",
    redirect_uris: [callback],
    scopes: ["openid", "profile", "email", "offline_access"],
    skip_consent: true,
    backchannel_logout_uri: channel.uri,
  };
  await using oidc = await startOidcStack(
    [web, operator], // A delivery that a replica gave up is free for others after three timeouts.
    { logout: { back_channel_timeout: "2s", back_channel_retry_delay: "200ms" } },
    { shape: "five", more: { runtime: { outgoing_tls: { ca_file: join(folder.path, "site.crt") } } } },
  );
  const redis = await testRedis(oidc.stack.redis?.port ?? 0);
  try {
    const browser = createBrowser(oidc.replicas);
    const [name = "", sid = ""] = (await signedIn(redis, account)).split("=");
    browser.cookies.set(name, sid);
    const party = relyingParty(oidc, "web");
    expect((await party.redeem(await party.authorize(browser))).status).toBe(200);

    // During a rolling change of the configuration, the replica behind the gateway does not have the client.
    const [first] = oidc.processes;
    await oidc.stack.writeSettings({ identity: { oidc: { clients: [operator] } } });
    first?.signal("SIGHUP");
    const { access_token: token } = (
      await relyingParty(oidc, "m2m").token({ grant_type: "client_credentials", scope: operator.scopes.join(" ") })
    ).body;
    await poll("the client to be unknown at the first replica", async () => {
      const query = new URLSearchParams({ client_id: "web", response_type: "code", scope: "openid" });
      return (await oidc.ask(0, `/oidc/authorize?${query.toString()}`)).status === 400;
    });
    const ended = await fetch(`${oidc.issuer}/api/v1/oidc/sessions/${encodeURIComponent(account)}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${String(token)}` },
    });
    expect(ended.status).toBe(204);

    const [logoutToken] = await poll("the notification", () => channel.tokens.length > 0 && channel.tokens);
    expect(claimsOf(logoutToken)).toMatchObject({ aud: "web", sub: account });
    expect(channel.tokens).toHaveLength(1);
  } finally {
    redis.disconnect();
  }
});
