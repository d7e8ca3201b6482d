import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { fillPath, operation, operations, pathTo } from "../../contracts/index.ts";
import { onlyOperations, routeOf } from "./operation-routes.ts";
import { isBelow } from "./route-scopes.ts";

type Hook = (route: { readonly method: string | string[]; readonly url: string }) => void;

/** What a service's instance calls for each route. */
function hookOf(...rest: Parameters<typeof onlyOperations> extends [unknown, ...infer Rest] ? Rest : never): Hook {
  const app = Fastify({ exposeHeadRoutes: false });
  onlyOperations(app, ...rest);
  return (route) => void app.route({ ...route, handler: () => "answered" });
}

describe("the operation table", () => {
  test("places every operation below the prefix of its family", () => {
    const strays = operations.filter(({ path, family }) => !isBelow(family.prefix, path));
    expect(strays.map(({ operationId }) => operationId)).toEqual([]);
  });

  test("has each method of a path once", () => {
    const places = operations.map(({ method, path }) => `${method} ${path}`);
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  });

  test("fills a path with percent-encoded parameters", () => {
    expect(pathTo("readJob", { jobId: "a/b c" })).toBe("/api/v1/async/jobs/a%2Fb%20c");
    expect(pathTo("deleteOidcSession", { user_id: "ä", token: "1" })).toBe("/api/v1/oidc/sessions/%C3%A4/1");
    expect(pathTo("loginPage")).toBe("/login");
    expect(fillPath("/a/{b}/c", { b: "?" })).toBe("/a/%3F/c");
  });
});

describe("the route of an operation", () => {
  test.each([
    ["readJob", { method: "GET", url: "/api/v1/async/jobs/:jobId" }],
    ["getCustomHook", { method: "GET", url: "/api/v1/custom/*" }],
    ["issueToken", { method: "POST", url: "/api/v1/jwt/token", bodyLimit: 32_768 }],
  ] as const)("%s", (id, route) => {
    expect(routeOf(operation(id))).toEqual(route);
  });

  test("has the site's name as last segment", () => {
    const names = { identifier: "mail-gate", proxySegment: "nginx", saslSegment: "saslauthd" };
    expect(routeOf(operation("authenticateProxy"), names).url).toBe("/api/v1/auth/nginx");
    expect(routeOf(operation("authenticateSasl"), names).url).toBe("/api/v1/auth/saslauthd");
    expect(routeOf(operation("authenticateJson"), names).url).toBe("/api/v1/auth/json");
  });
});

describe("a service that serves its operations only", () => {
  const hook = hookOf("admin");

  test("accepts its operations, and HEAD and OPTIONS on their paths", () => {
    expect(() => hook({ method: "GET", url: "/api/v1/async/jobs/:jobId" })).not.toThrow();
    expect(() => hook({ method: ["HEAD", "OPTIONS"], url: "/api/v1/async/jobs/:jobId" })).not.toThrow();
  });

  test.each([
    ["a path that is in no table", "GET", "/api/v1/surprise"],
    ["a method that the path does not have", "POST", "/api/v1/async/jobs/:jobId"],
    ["a method among others", ["GET", "PUT"], "/api/v1/config/load"],
    ["HEAD of a path that is in no table", "HEAD", "/api/v1/surprise"],
    ["an operation of another service", "GET", "/login"],
  ])("does not start with %s", (_what, method, url) => {
    expect(() => hook({ method, url })).toThrow("is not in the operation table");
  });

  test("accepts the patterns that it forwards", () => {
    const gateway = hookOf("gateway", undefined, new Set(["/login", "/login/*"]));
    expect(() => gateway({ method: ["GET", "POST"], url: "/login/*" })).not.toThrow();
    expect(() => gateway({ method: "GET", url: "/logout" })).toThrow("is not in the operation table");
  });
});
