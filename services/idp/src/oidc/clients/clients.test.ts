import { expect, test } from "vitest";
import { basicCredentials } from "./client-auth.ts";
import { matchesWildcard } from "./clients.ts";

test.each([
  ["https://a.test/cb/*", "https://a.test/cb/x?y=1", true],
  ["https://a.test/cb*", "https://a.test/cb", true],
  ["https://a.test/cb*", "https://a.test/cb/x", true],
  ["https://a.test/cb*", "https://a.test/cbx", false],
  ["https://a.test/cb/*", "https://b.test/cb/x", false],
  ["https://a.test/cb/*", "http://a.test/cb/x", false],
  ["https://a.test/cb/*", "https://a.test:8443/cb/x", false],
  ["https://a.test/cb/*", "https://u@a.test/cb/x", false],
  ["https://a.test/cb/*", "https://a.test/cb/../x", false],
  ["https://a.test/cb/*", "https://a.test/cb/%2e%2e/x", false],
  ["https://a.test/cb/*", "https://a.test/cb/%2Fx", false],
  ["https://a.test/cb/*", "https://a.test/cb/x#y", false],
  ["https://a.test/cb", "https://a.test/cb", false],
  ["*", "https://a.test/", false],
])("wildcard %s and redirect URI %s: %s", (registered, requested, fits) => {
  expect(matchesWildcard(registered, requested)).toBe(fits);
});

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

test.each([
  ["a:b", ["a", "b"]],
  ["a%20b:c%3Ad", ["a b", "c:d"]],
  ["a:b:c", ["a", "b:c"]],
  // Sent by clients that implement only RFC 7617, without form encoding.
  ["a:100%zz", ["a", "100%zz"]],
  ["a", undefined],
])("Basic credentials %s are parsed", (text, expected) => {
  expect(basicCredentials(basic(text))).toEqual(expected);
});

test("another scheme or invalid Base64 has no Basic credentials", () => {
  expect(basicCredentials("Bearer abc")).toBeUndefined();
  expect(basicCredentials("Basic ???")).toBeUndefined();
});
