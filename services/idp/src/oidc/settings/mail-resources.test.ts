import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { mailResources, protectedResource, registrationSupport } from "./mail-resources.ts";
import { type OidcSettings, oidcSettings } from "./oidc-settings.ts";

const issuer = "https://id.example.test";

function settingsOf(registration: object, mailClients: object = {}): OidcSettings {
  const identity = {
    frontend: { enabled: true },
    oidc: { enabled: true, issuer, mail_registration: registration },
    mail_clients: mailClients,
  };
  const text = JSON.stringify({ storage: { redis: { encryption_secret: "a-secret-of-16-letters" } }, identity });
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return oidcSettings(loaded.config);
}

const domains = [
  { names: ["a.test"], imap: { host: "imap.example.test" }, smtp: { host: "smtp.example.test" } },
  {
    names: ["b.test"],
    imap: { host: "imap.example.test" },
    pop3: { host: "pop.b.test" },
    smtp: { host: "smtp.b.test" },
  },
];

test("by default the metadata offers neither registration nor mail services", () => {
  const settings = settingsOf({}, { enabled: true, domains });
  expect(registrationSupport(settings)).toEqual({});
  expect(protectedResource(settings)).toBeUndefined();
  expect(mailResources(settings)).toEqual([]);
});

test("with registration, the resources are the issuer, the named services, and the servers that mail clients find", () => {
  const named = { enabled: true, resources: ["dav.example.test", "imap.example.test"] };
  expect(registrationSupport(settingsOf(named, { enabled: true, domains }))).toEqual({
    registration_endpoint: `${issuer}/oidc/register`,
    protected_resources: [
      issuer,
      "dav.example.test",
      "imap.example.test",
      "smtp.example.test",
      "pop.b.test",
      "smtp.b.test",
    ],
  });
  expect(mailResources(settingsOf(named, { enabled: false, domains }))).toEqual([issuer, ...named.resources]);
  expect(protectedResource(settingsOf(named))).toMatchObject({ resource: issuer, authorization_servers: [issuer] });
});
