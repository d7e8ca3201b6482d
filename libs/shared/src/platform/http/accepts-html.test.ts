import { expect, test } from "vitest";
import { acceptsHtml } from "./behind-gateway.ts";

test.each([
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["TEXT/HTML ; q=0.5", true],
  ["application/xhtml+xml", true],
  ["*/*", false],
  ["text/html;q=0, application/json", false],
  ["text/html;q=0.000", false],
  ["application/json", false],
  ["", false],
  [undefined, false],
] as const)("whether Accept: %s receives a page: %s", (accept, wants) => {
  expect(acceptsHtml(accept)).toBe(wants);
});
