import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeLicence } from "./application.ts";

const root = join(import.meta.dirname, "../..");

test("the licence in git is that of the pinned Node", () => {
  expect(existsSync(nodeLicence(root))).toBe(true);
  expect(readFileSync(nodeLicence(root), "utf8")).toContain("OpenSSL");
});
