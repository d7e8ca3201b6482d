import { expect, test } from "vitest";
import { createSourcePlaces } from "./source-places.ts";

// Line 2, column 3 of the bundle is line 5, column 1 of the source.
const map = JSON.stringify({
  version: 3,
  sources: ["../../src/main.ts"],
  names: [],
  mappings: ";EAIA",
});
const sourcePlaces = createSourcePlaces((bundle) =>
  bundle === "services/idp/dist/bundle/worker/read.js" || bundle === "services/idp/dist/bundle/main.js"
    ? map
    : undefined,
);

test.each([
  ["at start (file:///app/services/idp/dist/bundle/main.js:2:3)", "at start (services/idp/src/main.ts:5:1)"],
  ["at /srv/x/services/idp/dist/bundle/main.js:2:3", "at services/idp/src/main.ts:5:1"],
  [
    String.raw`{"stack":"E: x\n    at a (/app/services/idp/dist/bundle/main.js:2:3)\n    at b"}`,
    String.raw`{"stack":"E: x\n    at a (services/idp/src/main.ts:5:1)\n    at b"}`,
  ],
])("a position in a bundle becomes that of the source: %s", (line, expected) => {
  expect(sourcePlaces(line)).toBe(expected);
});

test.each([
  "at start (file:///app/services/idp/dist/bundle/other.js:2:3)",
  "at start (node:internal/process:2:3)",
  "at start (file:///app/services/idp/dist/bundle/main.js:1:1)",
  "services/idp/dist/bundle/main.js is missing",
])("a position without a source is unchanged: %s", (line) => {
  expect(sourcePlaces(line)).toBe(line);
});
