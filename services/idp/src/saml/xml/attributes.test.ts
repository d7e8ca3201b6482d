import { expect, test } from "vitest";
import { releasedAttributes } from "./attributes.ts";

type Provider = Parameters<typeof releasedAttributes>[0];
type User = Parameters<typeof releasedAttributes>[1];

const provider: Provider = { allowed_attributes: [], attribute_preset: "none", attributes: [] };
const mapped = (attribute: string, more: object = {}) => ({
  attribute,
  name: "",
  friendly_name: "",
  name_format: "",
  ...more,
});
const user: User = {
  account: "alice@example.test",
  attributes: { mail: ["alice@example.test"], userPassword: ["{SSHA}x"], telephoneNumber: [], displayName: ["Alice"] },
};
const released = (change: Partial<Provider>, of = user) => releasedAttributes({ ...provider, ...change }, of);
const names = (change: Partial<Provider>) => released(change).map(({ name }) => name);

test("only attributes that the site lists are released", () => {
  expect(released({})).toEqual([]);
  expect(names({ allowed_attributes: ["mail"] })).toEqual(["mail"]);
});

test.each([
  "userPassword",
  "totp_secret",
  "recoveryCodes",
  "webauthnCredential",
  "sambaNTPassword",
  "krbPrincipalKey",
  "apiToken",
  "privateKey",
])("%s is never released, not even under another name", (secret) => {
  const of = { ...user, attributes: { [secret]: ["x"] } };
  expect(released({ allowed_attributes: [secret] }, of)).toEqual([]);
  expect(released({ attributes: [mapped(secret, { name: "harmless" })] }, of)).toEqual([]);
});

test("an attribute without values is omitted, and names are matched in any case", () => {
  expect(names({ allowed_attributes: ["telephoneNumber", "title", "MAIL"] })).toEqual(["MAIL"]);
});

test("a preset uses object identifiers as names; the site's own mapping takes precedence", () => {
  expect(released({ allowed_attributes: ["mail"], attribute_preset: "urn_oid" })).toEqual([
    {
      name: "urn:oid:0.9.2342.19200300.100.1.3",
      friendlyName: "mail",
      nameFormat: "urn:oasis:names:tc:SAML:2.0:attrname-format:uri",
      values: ["alice@example.test"],
    },
  ]);
  const own = {
    allowed_attributes: ["mail"],
    attribute_preset: "urn_oid",
    attributes: [mapped("mail", { name: "email" })],
  } as const;
  expect(names({ ...own, allowed_attributes: ["mail"] })).toEqual(["email"]);
});

const formats = (more: object) =>
  released({ attributes: [mapped("mail", more)] }).map(({ nameFormat }) => nameFormat.split(":").at(-1));

test("the format of a mapped name is the configured one, or is derived from the form of the name", () => {
  expect(formats({ name: "email" })).toEqual(["basic"]);
  expect(formats({ name: "urn:example:mail" })).toEqual(["uri"]);
  expect(formats({ name: "urn:example:mail", name_format: "urn:x:own" })).toEqual(["own"]);
});
