import { Secret } from "@postern/shared/platform/crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createBasicCheck } from "./basic.ts";

const check = createBasicCheck("backchannel", new Secret("gehéim:secret"));
const right = Buffer.from("backchannel:gehéim:secret").toString("base64");

test.each([
  ["in the usual form", `Basic ${right}`],
  ["scheme in another case", `bAsIc ${right}`],
  ["more spaces", `Basic   ${right}  `],
  ["without padding", `Basic ${right.replace(/=+$/, "")}`],
  ["in the URL-safe alphabet", `Basic ${Buffer.from("backchannel:gehéim:secret").toString("base64url")}`],
])("correct credentials are accepted: %s", (_what, authorization) => {
  expect(check(authorization)).toBe(true);
});

test.each([
  ["empty", ""],
  ["the scheme alone", "Basic "],
  ["cut short", `Basic ${right}`.slice(0, -5)],
  ["lengthened", `Basic ${right}AAAA`],
  ["followed by other text", `Basic ${right} x`],
  ["another scheme", `Bearer ${right}`],
  ["NUL instead of the last character", `Basic ${right.slice(0, -1)}\u0000`],
])("anything else is rejected: %s", (_what, authorization) => {
  expect(check(authorization)).toBe(false);
});

test("no changed character is accepted", () => {
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

test("an earlier check does not affect the next", () => {
  expect(check(`Basic ${right}`)).toBe(true);
  expect(check("Basic")).toBe(false);
  expect(check(`Basic ${right}`)).toBe(true);
});
