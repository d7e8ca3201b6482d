import { expect, test } from "vitest";
import { unreviewedPath } from "./paths.ts";

test.each([
  'new URL("./page.html", import.meta.url)',
  'join(__dirname, "page.html")',
  "require(__filename)",
  'createRequire(path)("./page")',
])("a module that uses its own location is found: %s", (code) => {
  expect(unreviewedPath("/repo", "/repo/node_modules/new/index.js", code)).toBe("node_modules/new/index.js");
});

test("a reviewed module, and one that does not use its location, are not reported", () => {
  expect(unreviewedPath("/repo", "/repo/node_modules/pino/lib/transport.js", "__dirname")).toBeUndefined();
  expect(unreviewedPath("/repo", "/repo/node_modules/new/index.js", "const dirname = 1;")).toBeUndefined();
});
