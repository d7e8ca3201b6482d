import fc from "fast-check";
import { expect, test } from "vitest";
import { browserDigest, csrfToken, isBrowserToken, newBrowserToken, readCsrfToken } from "./browser-binding.ts";

const flowId = fc.stringMatching(/^[\w-]{1,128}$/);

test("a CSRF token identifies its flow in its own browser and is invalid in any other", () => {
  fc.assert(
    fc.property(flowId, (id) => {
      const [mine, other] = [newBrowserToken(), newBrowserToken()];
      expect(readCsrfToken(csrfToken(id, mine), mine)).toBe(id);
      expect(readCsrfToken(csrfToken(id, mine), other)).toBeUndefined();
      expect(readCsrfToken(csrfToken(id, mine), undefined)).toBeUndefined();
    }),
  );
});

test("a CSRF token created for one flow is invalid for another", () => {
  const mine = newBrowserToken();
  fc.assert(
    fc.property(flowId, flowId, (one, other) => {
      fc.pre(one !== other);
      const [, proof = ""] = csrfToken(one, mine).split(".");
      expect(readCsrfToken(`${other}.${proof}`, mine)).toBeUndefined();
    }),
  );
});

test("any other value is rejected as a CSRF token", () => {
  const mine = newBrowserToken();
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.anything()), (token) => {
      expect(readCsrfToken(token, mine)).toBeUndefined();
    }),
  );
});

test("the digest of a browser's cookie does not reveal the cookie, and malformed cookies are rejected", () => {
  const mine = newBrowserToken();
  expect(isBrowserToken(mine)).toBe(true);
  expect(browserDigest(mine)).not.toContain(mine.slice(0, 8));
  for (const value of [undefined, "", "x".repeat(42), "x".repeat(44), `${"x".repeat(42)}=`]) {
    expect(isBrowserToken(value)).toBe(false);
  }
});
