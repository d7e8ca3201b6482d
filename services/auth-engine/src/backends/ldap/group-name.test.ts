import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leadingRdn } from "./groups.ts";
import { escapeDnValue } from "./macros.ts";

describe("the first part of a DN", () => {
  it.each([
    ["cn=staff,ou=groups,dc=example", { type: "cn", value: "staff" }],
    ["CN = Mail Users , OU=x", { type: "CN", value: "Mail Users" }],
    [String.raw`cn=Smith\, Jones\2c \+ Co,dc=x`, { type: "cn", value: "Smith, Jones, + Co" }],
    [String.raw`cn=caf\c3\a9`, { type: "cn", value: "café" }],
    ["2.5.4.3=staff,dc=x", { type: "2.5.4.3", value: "staff" }],
    ["no dn", undefined],
  ])("%s", (dn, expected) => {
    expect(leadingRdn(dn)).toEqual(expected);
  });

  it("is the value that was escaped", () => {
    const value = fc.string({ unit: "binary" }).filter((text) => text.trim() === text && !/[\r\n]/.test(text));
    fc.assert(fc.property(value, (text) => leadingRdn(`cn=${escapeDnValue(text)},dc=x`)?.value === text));
  });
});
