import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { nodeLicence, writeProgram } from "./application.ts";

const root = join(import.meta.dirname, "../..");

test("the licence in git is that of the pinned Node", () => {
  expect(existsSync(nodeLicence(root))).toBe(true);
  expect(readFileSync(nodeLicence(root), "utf8")).toContain("OpenSSL");
});

test("the command line of packages and images is one bundle", async () => {
  mkdirSync(join(root, ".run"), { recursive: true });
  // Below the repository, where it finds the packages that are not bundled.
  using folder = mkdtempDisposableSync(join(root, ".run/program-"));
  await writeProgram(root, "cli/src/main.ts", folder.path);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder.path, "main.js"), "help"]);
  expect(stdout).toContain("usage: postern COMMAND");
});
