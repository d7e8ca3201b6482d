import { expect, test } from "vitest";
import { isPasswordPath } from "../limits/password-failures.ts";
import { pathOf, splitTarget } from "./request-path.ts";

test.each([
  ["/api/v1/jwt/token", "/api/v1/jwt/token"],
  ["/api/v1/jwt/%74oken?a=%62", "/api/v1/jwt/token"],
  ["/api/v1/jwt/token#?x", "/api/v1/jwt/token"],
  ["/%61pi/v1/%E4%B8%AD", "/api/v1/中"],
  ["/api/v1/%ff", ""],
])("the path of %s is %s", (url, path) => {
  expect(pathOf(url)).toBe(path);
});

test.each([
  ["/oidc/device/verify?back=/a?b&region=east", { path: "/oidc/device/verify", query: "back=/a?b&region=east" }],
  ["/login?", { path: "/login", query: "" }],
  ["/login", { path: "/login", query: "" }],
])("the target %s is split at its first question mark", (url, parts) => {
  expect(splitTarget(url)).toEqual(parts);
});

test("the password path is recognised in every spelling that the routers accept", () => {
  for (const url of ["/api/v1/jwt/token", "/api/v1/jwt/%74oken", "/api%2Fv1/jwt/toke%6e?x", "/api/v1/jwt/token#x"]) {
    expect([url, isPasswordPath(url)]).toEqual([url, true]);
  }
  for (const url of ["/api/v1/jwt/refresh", "/api/v1/jwt/token/", "/api/v1/jwt/%2574oken", "", undefined]) {
    expect([url, isPasswordPath(url)]).toEqual([url, false]);
  }
});
