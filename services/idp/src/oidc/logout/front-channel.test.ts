import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { clientPolicies } from "../clients/clients.ts";
import { logoutFrames } from "../logout-routes.ts";
import { oidcSettings } from "../settings/oidc-settings.ts";

function framesWith(logout: object, clients: readonly object[]) {
  const issuer = "https://idp.example.test";
  const listed = clients.map((client) => ({ redirect_uris: ["https://a.test/cb"], ...client }));
  const tree = {
    storage: { redis: { encryption_secret: "a-secret-of-16-letters" } },
    identity: { oidc: { enabled: true, issuer, logout, clients: listed } },
  };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const settings = oidcSettings(loaded.config);
  const authorizations = { mail: { sid: "s/1" }, wiki: { sid: "s2" }, gone: { sid: "s3" } };
  return logoutFrames({ settings, policies: clientPolicies(settings) }, { authorizations });
}

const mail = { client_id: "mail", name: "Mail", frontchannel_logout_uri: "https://mail.test/out?a=1" };

test("the logout page of each client of the session receives iss and sid; clients without one are skipped", () => {
  expect(framesWith({}, [mail, { client_id: "wiki" }])).toEqual([
    { name: "Mail", address: "https://mail.test/out?a=1&iss=https%3A%2F%2Fidp.example.test&sid=s%2F1" },
  ]);
});

test("without session support the URL has no iss and sid; without front-channel support there are no frames", () => {
  expect(framesWith({ front_channel_session_supported: false }, [mail])).toEqual([
    { name: "Mail", address: "https://mail.test/out?a=1" },
  ]);
  expect(framesWith({ front_channel_supported: false }, [mail])).toEqual([]);
});
