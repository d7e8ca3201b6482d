import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { writeOrCheck } from "./write-or-check.ts";

const files = new Map([["docs/a.md", "a\n"]]);

test("a check reports missing and different files, and writes nothing", async () => {
  await using folder = await scratchFolder();
  expect(writeOrCheck(files, { root: folder.path, check: true })).toEqual(["docs/a.md"]);
  expect(existsSync(join(folder.path, "docs"))).toBe(false);
  writeOrCheck(files, { root: folder.path, check: false });
  writeFileSync(join(folder.path, "docs/a.md"), "changed\n");
  expect(writeOrCheck(files, { root: folder.path, check: true })).toEqual(["docs/a.md"]);
  expect(readFileSync(join(folder.path, "docs/a.md"), "utf8")).toBe("changed\n");
});

test("written files pass the check", async () => {
  await using folder = await scratchFolder();
  expect(writeOrCheck(files, { root: folder.path, check: false })).toEqual([]);
  expect(writeOrCheck(files, { root: folder.path, check: true })).toEqual([]);
});
