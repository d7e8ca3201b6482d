import { expect, test } from "vitest";
import { claimsOf, emailOf } from "./claims.ts";

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
  return { claim, attribute, from: "", type } as const;
}

test("usual attributes become the standard claims", () => {
  expect(claimsOf(account, [])).toEqual({
    preferred_username: "alice@example.test",
    email: "a@example.test",
    family_name: "Example",
    groups: ["staff"],
  });
  expect(emailOf({ ...account, attributes: {} }, [])).toBe("alice@example.test");
});

test("mappings give typed claims; what does not fit is left out, and no mapping sets a reserved one", () => {
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
