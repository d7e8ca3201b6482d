import fc from "fast-check";
import { expect, test } from "vitest";
import { originForm } from "./request-target.ts";

const host = "mail.example.test:8080";

test.each([
  ["/login?a=b", "/login?a=b"],
  ["//host/login", "//host/login"],
  ["http://mail.example.test:8080", "/"],
  ["http://mail.example.test:8080/", "/"],
  ["HTTPS://MAIL.example.test:8080/a/../b?c#d", "/a/../b?c#d"],
  ["http://mail.example.test:8080?a=/b", "/?a=/b"],
  ["http://mail.example.test/", undefined],
  ["http://mail.example.test:80801/", undefined],
  ["http://user@mail.example.test:8080/", undefined],
  ["http://other.example.test:8080/", undefined],
  ["http://mail.example.test:8080#/", undefined],
  ["http:///", undefined],
  ["ftp://mail.example.test:8080/", undefined],
  ["*", undefined],
  ["mail.example.test:8080", undefined],
  ["", undefined],
] as const)("%s", (url, path) => {
  expect(originForm({ url, headers: { host } })).toBe(path);
});

test("a default port may be written or left out, and a request without a host fits any", () => {
  expect(originForm({ url: "http://x:80/a", headers: { host: "x" } })).toBe("/a");
  expect(originForm({ url: "https://x/a", headers: { host: "x:443" } })).toBe("/a");
  expect(originForm({ url: "http://x/a", headers: {} })).toBe("/a");
});

test("the result is a path whatever the target, and an absolute target means the same as its path", () => {
  fc.assert(
    fc.property(fc.string(), (url) => {
      expect(originForm({ url, headers: { host } }) ?? "/").toMatch(/^\//);
    }),
  );
  fc.assert(
    fc.property(fc.webPath(), (path) => {
      expect(originForm({ url: `http://${host}${path}`, headers: { host } })).toBe(path === "" ? "/" : path);
    }),
  );
});
