import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { oidcSettings } from "../settings/oidc-settings.ts";
import { describeScope } from "./consent-scopes.ts";

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
  ["in the granular mode, all but openid", granular, {}, ["profile", "email"]],
  ["what is required is not optional", { ...granular, required_scopes: ["email"] }, {}, ["profile"]],
  ["a list of optional scopes names all that are", { ...granular, optional_scopes: ["email"] }, {}, ["email"]],
  ["required outranks optional", { ...granular, required_scopes: ["email"], optional_scopes: ["email"] }, {}, []],
  ["openid is never optional", { ...granular, optional_scopes: ["openid"] }, {}, []],
  ["a client without a mode has the site's", {}, { consent: { mode: "granular_optional" } }, ["profile", "email"]],
  [
    "a client's own mode outranks the site's",
    { consent_mode: "all_or_nothing" },
    { consent: { mode: "granular_optional" } },
    [],
  ],
])("what a user may leave out: %s", (_what, client, oidc, optional) => {
  expect(optionalOf(client, oidc)).toEqual(optional);
});

test("of a client that is no longer configured nothing is optional", () => {
  expect(optionalOf(granular, {}, "gone")).toEqual([]);
});

const described = (description: string) => [{ name: "calendar", description, claims: [] }];

test("a scope has the client's words, else the site's, else none", () => {
  const both = settingsOf(
    { custom_scopes: described("read its calendar") },
    { custom_scopes: described("read calendars") },
  );
  expect(describeScope(both, "mail", "calendar").description).toBe("read its calendar");
  expect(describeScope(both, "other", "calendar").description).toBe("read calendars");
  expect(describeScope(both, "mail", "email").description).toBeUndefined();
  expect(describeScope(settingsOf({ custom_scopes: described("") }), "mail", "calendar").description).toBeUndefined();
});
