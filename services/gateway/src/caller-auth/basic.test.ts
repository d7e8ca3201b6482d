import { Secret } from "@postern/shared/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createBasicCheck } from "./basic.ts";

const check = createBasicCheck({ username: "backchannel", password: new Secret("gehéim:secret") });
const right = Buffer.from("backchannel:gehéim:secret").toString("base64");

test.each([
  ["as every client spells it", `Basic ${right}`],
  ["scheme in another case", `bAsIc ${right}`],
  ["more spaces", `Basic   ${right}  `],
  ["without padding", `Basic ${right.replace(/=+$/, "")}`],
  ["in the URL's alphabet", `Basic ${Buffer.from("backchannel:gehéim:secret").toString("base64url")}`],
])("right credentials are right: %s", (_what, authorization) => {
  expect(check(authorization)).toBe(true);
});

test.each([
  ["empty", ""],
  ["the scheme alone", "Basic "],
  ["cut short", `Basic ${right}`.slice(0, -5)],
  ["lengthened", `Basic ${right}AAAA`],
  ["followed by something", `Basic ${right} x`],
  ["another scheme", `Bearer ${right}`],
  ["NUL in place of what is missing", `Basic ${right.slice(0, -1)}\u0000`],
])("anything else is wrong: %s", (_what, authorization) => {
  expect(check(authorization)).toBe(false);
});

test("no changed character passes", () => {
  const usual = `Basic ${right}`;
  fc.assert(
    fc.property(fc.nat(usual.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, letter) => {
      const changed = usual.slice(0, at) + letter + usual.slice(at + 1);
      const [, credentials = ""] = /^basic +(\S+) *$/i.exec(changed) ?? [];
      fc.pre(Buffer.from(credentials, "base64").toString("utf8") !== "backchannel:gehéim:secret");
      expect(check(changed)).toBe(false);
    }),
  );
});

test("what was asked before does not stay for who asks next", () => {
  expect(check(`Basic ${right}`)).toBe(true);
  expect(check("Basic")).toBe(false);
  expect(check(`Basic ${right}`)).toBe(true);
});
