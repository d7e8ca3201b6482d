import fc from "fast-check";
import { expect, test } from "vitest";
import { withKnownCase } from "./request-target.ts";

const autodiscover = "/autodiscover/autodiscover.xml";

test("every spelling of a path that ignores the case of letters is the operation's own, with its query", () => {
  fc.assert(
    fc.property(fc.mixedCase(fc.constant(autodiscover)), fc.constantFrom("", "?A=B", "#A"), (path, rest) => {
      expect(withKnownCase(`${path}${rest}`)).toBe(`${autodiscover}${rest}`);
    }),
  );
  const written = "/MAIL/Config-v1.1.XML?emailaddress=A@B";
  expect(withKnownCase(written)).toBe("/mail/config-v1.1.xml?emailaddress=A@B");
});

test.each(["/Login", "/AUTODISCOVER", `${autodiscover}/`, `/x${autodiscover}`, "/", "*", ""])(
  "%s stays as it is",
  (url) => {
    expect(withKnownCase(url)).toBe(url);
  },
);
