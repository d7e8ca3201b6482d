import fc from "fast-check";
import { expect, test } from "vitest";
import { cookieNames, createSiteCookies, sessionCookieName } from "./cookies.ts";

const https = createSiteCookies("https://id.example.test");
const http = createSiteCookies("http://localhost:8080");

test("a cookie is __Host-, Secure, HttpOnly and Lax; under plain http it is neither prefixed nor Secure", () => {
  expect(https.set("a", "b")).toBe("__Host-a=b; Path=/; HttpOnly; SameSite=Lax; Secure");
  expect(http.set("a", "b", 5)).toBe("a=b; Path=/; Max-Age=5; HttpOnly; SameSite=Lax");
  expect(sessionCookieName("https://id.example.test")).toBe(`__Host-${cookieNames.session}`);
});

test("without an issuer cookies are those of https", () => {
  expect(createSiteCookies("").set("a", "b")).toContain("Secure");
});

test("what is set is read back among any other cookies; a prefix or a part of the name is another cookie", () => {
  const value = fc.stringMatching(/^[\w-]{1,64}$/);
  const others = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.string()), { maxLength: 5 });
  fc.assert(
    fc.property(value, others, (sid, rest) => {
      const noise = rest.map(([name, text]) => `x${name}=${text.replaceAll(/[;=]/g, "")}`);
      const header = [...noise, `a${cookieNames.session}=no`, `${https.nameOf(cookieNames.session)}=${sid}`].join("; ");
      expect(https.read(header, cookieNames.session)).toBe(sid);
      expect(http.read(header, cookieNames.session)).toBeUndefined();
    }),
  );
});

test("no header makes reading fail", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(["string", "undefined"]).toContain(typeof http.read(header, "a"));
    }),
  );
});
