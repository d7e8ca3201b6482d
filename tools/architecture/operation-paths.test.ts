import { describe, expect, test } from "vitest";
import { pathsIn, spelledPaths } from "./operation-paths.ts";

test("the operation table is the only place that names a path", () => {
  expect(spelledPaths(".")).toEqual([]);
});

describe("a source that spells a path is found", () => {
  test.each([
    ["a string", 'app.get("/api/v1/config/load", handler);', ["/api/v1/config/load"]],
    ["a template", "const url = `/login/${method}`;", ["/login/${method}"]],
    ["a path after an origin", "await fetch(`${origin}/oidc/token`);", ["/oidc/token"]],
    ["a query", 'reply.redirect("/saml/sso?request=1");', ["/saml/sso?request=1"]],
    ["a family alone", 'url.startsWith("/mfa")', ["/mfa"]],
  ])("%s", (_what, source, paths) => {
    expect(pathsIn(source)).toEqual(paths);
  });

  test.each([
    ["a comment", '/** `/static/<name>` */\n// "/login"\nconst a = 1;'],
    ["a sentence", 'description: "Whether GET /api/v1/auth/basic is available."'],
    ["an import", 'import { x } from "../routes/login/get-login.ts";'],
    ["another word", 'const folder = "/loginshell";'],
  ])("%s does not count", (_what, source) => {
    expect(pathsIn(source)).toEqual([]);
  });
});
