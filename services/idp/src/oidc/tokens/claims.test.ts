import { describe, expect, test } from "vitest";
import { claimsOf, emailOf, grantedMappings, mappedClaims } from "./claims.ts";

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
  expect(emailOf({ ...account, attributes: {} }, [])).toBe("alice@example.test");
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

test("a constant needs a scope that releases its claim; claims without a scope and mapped attributes do not", () => {
  const mappings = [constant("email_verified", true), constant("site", "mail"), mapping("email", "mail")];
  const table = { email: ["email", "email_verified"], site: null };
  const names = (scopes: readonly string[]) => grantedMappings(mappings, table, scopes).map(({ claim }) => claim);
  expect(names(["openid", "email"])).toEqual(["email_verified", "site", "email"]);
  expect(names(["openid"])).toEqual(["site", "email"]);
});

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
