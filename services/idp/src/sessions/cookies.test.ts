import fc from "fast-check";
import { expect, test } from "vitest";
import { cookieNames, createSiteCookies, sessionCookieName } from "./cookies.ts";

const https = createSiteCookies("https://id.example.test");
const http = createSiteCookies("http://localhost:8080");

test("a cookie has the prefix __Host- and is Secure, HttpOnly and SameSite=Lax; over http it has no prefix and is not Secure", () => {
  expect(https.set("a", "b")).toBe("__Host-a=b; Path=/; HttpOnly; SameSite=Lax; Secure");
  expect(http.set("a", "b", 5)).toBe("a=b; Path=/; Max-Age=5; HttpOnly; SameSite=Lax");
  expect(sessionCookieName("https://id.example.test")).toBe(`__Host-${cookieNames.session}`);
});

test("without an issuer, cookies are created as for https", () => {
  expect(createSiteCookies("").set("a", "b")).toContain("Secure");
});

test("a cookie is found among any others; a name with another prefix is a different cookie", () => {
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

test("any Cookie header can be read without an exception", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(["string", "undefined"]).toContain(typeof http.read(header, "a"));
    }),
  );
});
