import { expect, test } from "vitest";
import { type Change, createRegionCookie } from "./region-cookie.ts";

const cookie = createRegionCookie("https://login.example.test");
const set = (headers: Record<string, string | string[]>, change: Change): string | undefined => {
  const all = cookie.added(headers, "east", change)["set-cookie"];
  return all?.find((one) => one.startsWith("__Host-service_region="));
};

test("the name of a region is read, and nothing else", () => {
  expect(cookie.read("a=b; __Host-service_region=west; c=d")).toBe("west");
  for (const header of [undefined, "service_region=west", "__Host-service_region=We st", "__Host-service_region="])
    expect(cookie.read(header)).toBeUndefined();
});

test("the cookie lives as long as the session that begins, and is not changed by others", () => {
  const begun = { "set-cookie": ["__Host-service_session=abc; Path=/; Max-Age=900; HttpOnly"] };
  expect(set(begun, "kept")).toBe("__Host-service_region=east; Max-Age=900; Path=/; HttpOnly; SameSite=None; Secure");
  expect(set({ "set-cookie": ["__Host-service_flow=abc; Path=/"] }, "kept")).toBeUndefined();
  expect(set({ "set-cookie": ["__Host-service_session=; Path=/; Max-Age=0"] }, "kept")).toBeUndefined();
  expect(cookie.added(begun, "east", "kept")["set-cookie"]).toContain(begun["set-cookie"][0]);
});

test("a browser without a region gets one with its first answer", () => {
  expect(set({}, "first")).toBe("__Host-service_region=east; Path=/; HttpOnly; SameSite=None; Secure");
});

test.each([
  ["taken", { location: "/login?flow=a" }, true],
  ["taken", { location: "https://login.example.test/login" }, true],
  ["taken", { "content-type": "text/html; charset=utf-8" }, true],
  ["taken", { location: "https://client.example.test/cb?error=login_required" }, false],
  ["taken", { location: "//evil.example.test/" }, false],
  ["moved", { location: "/login?flow=a" }, true],
  ["moved", { "content-type": "text/html" }, false],
] as const)("%s with %o moves the browser: %s", (change, headers, moves) => {
  expect(set({ ...headers }, change) !== undefined).toBe(moves);
});

test("a site without an issuer moves a browser with its own pages only", () => {
  const { added } = createRegionCookie("");
  expect(added({ location: "/login" }, "east", "moved")["set-cookie"]).toHaveLength(1);
  for (const location of ["//evil.example.test/", "https://client.example.test/"])
    expect(added({ location }, "east", "moved")["set-cookie"]).toBeUndefined();
});

test("under an issuer without TLS, the cookie needs none", () => {
  const local = createRegionCookie("http://localhost:8080");
  expect(local.added({}, "east", "first")["set-cookie"]).toEqual([
    "service_region=east; Path=/; HttpOnly; SameSite=Lax",
  ]);
  expect(local.read("service_region=west")).toBe("west");
});
