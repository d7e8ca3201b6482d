import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import fc from "fast-check";
import { expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import { createAttributeHeaders } from "./attribute-headers.ts";

const asHeaders = createAttributeHeaders(wireNames("service"), createAttributeFilter(["mailTotp"]));
const namesOf = (attributes: Record<string, string[]>, maxBytes = 10_000): readonly string[] =>
  asHeaders(attributes, maxBytes).headers.map(([name]) => name);

test("X-Service-<AttributeName>: one header per attribute, with its name unchanged", () => {
  expect(asHeaders({ DisplayName: ["Alice Example"], mail: ["a@example.test"], Uid: ["alice"] }, 10_000)).toEqual({
    headers: [
      ["X-Service-DisplayName", "Alice Example"],
      ["X-Service-mail", "a@example.test"],
      ["X-Service-Uid", "alice"],
    ],
    leftOut: [],
  });
});

test("several values are joined with a comma, those of dn with a semicolon", () => {
  expect(asHeaders({ mail: ["a", "b"], dn: ["cn=a,o=x", "cn=b,o=x"] }, 10_000).headers).toEqual([
    ["X-Service-mail", "a,b"],
    ["X-Service-dn", "cn=a,o=x;cn=b,o=x"],
  ]);
});

test.each(["session", "Session", "Memory-Cache", "memory-cache"])("%s is never overwritten", (name) => {
  expect(namesOf({ [name]: ["x"] })).toEqual([]);
});

test("an existing header of the same name, in any case, is not overwritten", () => {
  expect(asHeaders({ mail: ["first"], Mail: ["second"] }, 10_000).headers).toEqual([["X-Service-mail", "first"]]);
});

test.each([
  "Connection",
  "keep-alive",
  "TE",
  "Trailer",
  "Transfer-Encoding",
  "Upgrade",
  "Proxy-Authorization",
  "Set-Cookie",
  "set-cookie2",
  "Content-Length",
  "content-type",
  "Auth-Status",
  "auth-user",
  "",
  "a b",
  "a:b",
  "a\r\nSet-Cookie",
  "ä",
  "mail;lang-de",
])("%j is rejected as a name", (name) => {
  expect(namesOf({ [name]: ["x"], mail: ["m"] })).toEqual(["X-Service-mail"]);
});

test("secret-bearing attributes are removed, by name rule and by configured field", () => {
  expect(namesOf({ userPassword: ["x"], mailTotp: ["x"], api_token: ["x"], totpSecret: ["x"], uid: ["1"] })).toEqual([
    "X-Service-uid",
  ]);
});

test("an attribute without values has no header", () => {
  expect(namesOf({ mail: [] })).toEqual([]);
});

test("attributes that do not fit are omitted and reported, the others are kept", () => {
  const { headers, leftOut } = asHeaders({ a: ["x".repeat(50)], b: ["y".repeat(500)], c: ["z"] }, 100);
  expect(headers.map(([name]) => name)).toEqual(["X-Service-a", "X-Service-c"]);
  expect(leftOut).toEqual(["b"]);
});

test("no attribute can split a header, whatever its name and values", () => {
  const attributes = fc.dictionary(
    fc.string({ unit: "binary" }),
    fc.array(fc.string({ unit: "binary" }), { maxLength: 3 }),
  );
  fc.assert(
    fc.property(attributes, fc.nat(500), (record, maxBytes) => {
      const { headers } = asHeaders(record, maxBytes);
      for (const [name, value] of headers) {
        expect(name).toMatch(/^X-Service-[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
        // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
        expect(value).not.toMatch(/[\u0000-\u001f\u007f]|[^\u0000-\u00ff]/);
      }
      const lower = headers.map(([name]) => name.toLowerCase());
      expect(new Set(lower).size).toBe(lower.length);
      expect(headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)).toBeLessThanOrEqual(
        maxBytes,
      );
    }),
  );
});
