import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { describeScope } from "./consent.ts";
import { oidcSettings } from "./settings/oidc-settings.ts";

function settingsOf(client: object, oidc: object = {}) {
  const own = { client_id: "mail", redirect_uris: ["https://mail.test/cb"], ...client };
  const tree = { identity: { oidc: { clients: [own], ...oidc } } };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return oidcSettings(loaded.config);
}

const granular = { consent_mode: "granular_optional" };
const optionalOf = (client: object, oidc?: object, clientId = "mail") =>
  ["openid", "profile", "email"].filter((name) => describeScope(settingsOf(client, oidc), clientId, name).optional);

test.each([
  ["in granular mode, all scopes except openid", granular, {}, ["profile", "email"]],
  ["a required scope is not optional", { ...granular, required_scopes: ["email"] }, {}, ["profile"]],
  ["only listed scopes are optional if there is a list", { ...granular, optional_scopes: ["email"] }, {}, ["email"]],
  [
    "a scope that is both required and optional is required",
    { ...granular, required_scopes: ["email"], optional_scopes: ["email"] },
    {},
    [],
  ],
  ["openid is never optional", { ...granular, optional_scopes: ["openid"] }, {}, []],
  ["a client without a mode uses the site's", {}, { consent: { mode: "granular_optional" } }, ["profile", "email"]],
  [
    "a client's own mode takes precedence over the site's",
    { consent_mode: "all_or_nothing" },
    { consent: { mode: "granular_optional" } },
    [],
  ],
])("optional scopes: %s", (_what, client, oidc, optional) => {
  expect(optionalOf(client, oidc)).toEqual(optional);
});

test("no scope of a removed client is optional", () => {
  expect(optionalOf(granular, {}, "gone")).toEqual([]);
});

const described = (description: string) => [{ name: "calendar", description, claims: [] }];

test("the client's description of a scope takes precedence over the site's; there may be none", () => {
  const both = settingsOf(
    { custom_scopes: described("read its calendar") },
    { custom_scopes: described("read calendars") },
  );
  expect(describeScope(both, "mail", "calendar").description).toBe("read its calendar");
  expect(describeScope(both, "other", "calendar").description).toBe("read calendars");
  expect(describeScope(both, "mail", "email").description).toBeUndefined();
  expect(describeScope(settingsOf({ custom_scopes: described("") }), "mail", "calendar").description).toBeUndefined();
});
