import type { ClaimMappingConfig } from "@postern/shared/platform/config";
import { describe, expect, test } from "vitest";
import type { OidcAccount } from "../accounts/accounts-redis.ts";
import { claimsOf as claimsFrom, emailOf, hasSource, mappedClaims, type OnUnreadable } from "./claims.ts";

const claimsOf = (from: OidcAccount, mappings: readonly ClaimMappingConfig[], onUnreadable?: OnUnreadable) =>
  claimsFrom(from, { named: [], mappings }, onUnreadable);

const account = {
  accountId: "alice@example.test",
  account: "alice@example.test",
  attributes: {
    mail: ["a@example.test"],
    quota: ["5"],
    admin: ["yes"],
    tags: ["x", "y"],
    broken: ["z"],
    sn: ["Example"],
  },
  groups: ["staff"],
};

function mapping(claim: string, attribute: string, type: "string" | "integer" | "boolean" | "string_array" = "string") {
  return { claim, attribute, from: "", constant: "", type } as const;
}

function constant(claim: string, value: string | number | boolean, type: "string" | "boolean" | "integer" = "string") {
  return { claim, attribute: "", from: "", constant: value, type } as const;
}

test("common attributes become standard claims", () => {
  expect(claimsOf(account, [])).toEqual({
    preferred_username: "alice@example.test",
    email: "a@example.test",
    family_name: "Example",
    groups: ["staff"],
  });
  expect(emailOf({ ...account, attributes: {} }, { named: [], mappings: [] })).toBe("alice@example.test");
});

test("an empty attribute has no value", () => {
  const claims = claimsOf({ ...account, attributes: { mail: [""], sn: [""] } }, []);
  expect(claims).toMatchObject({ email: "alice@example.test" });
  expect(claims).not.toHaveProperty("family_name");
});

test("mappings create typed claims; values of another type are omitted, and reserved claims cannot be mapped", () => {
  const claims = claimsOf(account, [
    mapping("quota", "quota", "integer"),
    mapping("admin", "ADMIN", "boolean"),
    mapping("tags", "tags", "string_array"),
    mapping("count", "broken", "integer"),
    mapping("sub", "mail"),
    mapping("aud", "mail"),
  ]);
  expect(claims).toMatchObject({ quota: 5, admin: true, tags: ["x", "y"] });
  for (const name of ["count", "sub", "aud"]) expect(claims[name]).toBeUndefined();
});

test("a constant is released with its own type; a string is converted to the type of the mapping", () => {
  const mappings = [
    constant("email_verified", true),
    constant("tier", 3),
    constant("site", "mail"),
    constant("active_user", "true", "boolean"),
    constant("level", "7", "integer"),
    constant("sub", "everybody"),
  ];
  expect(mappedClaims(account, mappings, { email: "a@example.test" })).toEqual({
    email_verified: true,
    tier: 3,
    site: "mail",
    active_user: true,
    level: 7,
  });
});

test("a constant that marks an address as verified is released only with that address", () => {
  const mappings = [constant("email_verified", true), constant("phone_number_verified", false)];
  expect(claimsOf(account, mappings)).toMatchObject({ email: "a@example.test", email_verified: true });
  expect(claimsOf(account, mappings)).not.toHaveProperty("phone_number_verified");
  const phone = { ...account, account: "alice", attributes: { mobile: ["+49 1"] } };
  expect(claimsOf(phone, mappings)).toMatchObject({ phone_number_verified: false });
  expect(claimsOf(phone, mappings)).not.toHaveProperty("email_verified");
});

test("an attribute with the name of a custom scope's claim is used where the claim has no other source", () => {
  const named = [mapping("quota", "quota", "integer"), mapping("email", "tags"), mapping("groups", "tags")];
  expect(claimsFrom(account, { named, mappings: [] })).toMatchObject({
    quota: 5,
    email: "a@example.test",
    groups: ["staff"],
  });
});

function addressOf(
  attributes: Readonly<Record<string, readonly string[]>>,
  ...mappings: ClaimMappingConfig[]
): unknown {
  return claimsOf({ ...account, attributes }, mappings)["address"];
}

describe("address (OpenID Connect Core §5.1.1)", () => {
  test("is taken from the common attributes, with the lines of a postal address", () => {
    const attributes = { postalAddress: ["Main 1$12345 Town"], l: ["Town"], postalCode: ["12345"], co: ["Country"] };
    expect(addressOf(attributes)).toEqual({
      formatted: "Main 1\n12345 Town",
      locality: "Town",
      postal_code: "12345",
      country: "Country",
    });
    expect(addressOf({})).toBeUndefined();
  });

  test("is built from a mapping of each member", () => {
    const members = [mapping("address.street_address", "road"), constant("address.country", "DE")];
    expect(addressOf({ road: ["Main 1$Yard"] }, ...members)).toEqual({ street_address: "Main 1\nYard", country: "DE" });
    expect(addressOf({}, mapping("address.street_address", "road"))).toBeUndefined();
  });

  test("is an object for every mapping's type, and never a list", () => {
    const json = (text: string) => addressOf({ a: [text] }, { ...mapping("address", "a"), type: "object" });
    expect(addressOf({ a: ["Main 1"] }, mapping("address", "a"))).toEqual({ formatted: "Main 1" });
    expect(addressOf({ a: ["x"] }, mapping("address", "a", "string_array"))).toEqual({ formatted: "x" });
    expect(json('{"country":"DE"}')).toEqual({ country: "DE" });
    expect([json('["DE"]'), json("DE")]).toEqual([undefined, undefined]);
  });
});

test("a claim has a source if it is mapped, if every account has it, or if a backend returns a common attribute", () => {
  const sources = { named: [mapping("birthdate", "birthdate")], mappings: [mapping("address.country", "nation")] };
  const known = new Set(["mail", "telephonenumber"]);
  const having = (attributes: ReadonlySet<string> | undefined) =>
    ["email", "phone_number", "address", "given_name", "birthdate", "zoneinfo"].filter((claim) =>
      hasSource(claim, sources, attributes),
    );
  expect(having(known)).toEqual(["email", "phone_number", "address"]);
  // A script may return any attribute.
  expect(having(undefined)).toEqual(["email", "phone_number", "address", "given_name", "birthdate"]);
});

function updated(text: string): unknown {
  return mappedClaims({ ...account, attributes: { on: [text] } }, [mapping("updated_at", "on")])["updated_at"];
}

describe("claims with a type defined by OpenID Connect Core §5.1", () => {
  const verified = {
    ...account,
    attributes: { ...account.attributes, ok: ["TRUE"], not: ["0"], on: ["1700000000"], unclear: ["maybe"], none: [""] },
  };

  test("are released with that type, whether a mapping omits `type` or sets another one", () => {
    const mappings = [
      mapping("email_verified", "ok"),
      mapping("phone_number_verified", "not", "string_array"),
      mapping("updated_at", "on"),
    ];
    expect(mappedClaims(verified, mappings, { email: "a@example.test", phone_number: "+49 1" })).toEqual({
      email_verified: true,
      phone_number_verified: false,
      updated_at: 1700000000,
    });
    expect(mappedClaims(verified, [mapping("updated_at", "on", "integer")])).toEqual({ updated_at: 1700000000 });
  });

  test("updated_at is read from a time with its zone, and never from one without", () => {
    expect(
      ["20231114221320Z", "20231114221320.5Z", "2023-11-14T22:13:20Z", "2023-11-15 00:13:20+02:00"].map(updated),
    ).toEqual(Array.from({ length: 4 }, () => 1700000000));
    expect(["2023-11-14 22:13:20", "2023-11-14", "20231399221320Z"].map(updated)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("are omitted if the value has another type, and never released as text", () => {
    const unreadable: string[] = [];
    const mappings = [
      mapping("email_verified", "unclear"),
      mapping("updated_at", "unclear"),
      mapping("phone_number_verified", "none"),
      mapping("quota", "unclear", "integer"),
      mapping("tags", "tags", "string_array"),
      mapping("absent", "absent", "integer"),
    ];
    const claims = claimsOf(verified, mappings, ({ claim }) => unreadable.push(claim));
    for (const name of ["email_verified", "updated_at", "phone_number_verified", "quota", "absent"]) {
      expect(claims).not.toHaveProperty(name);
    }
    // An empty attribute has no value, so it is not unreadable.
    expect(unreadable).toEqual(["email_verified", "updated_at", "quota"]);
  });
});
