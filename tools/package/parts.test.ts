import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isIntact, partsFor } from "./parts.ts";
import { readLock, runtimePackages } from "./runtime-packages.ts";

const root = join(import.meta.dirname, "../..");
const own = process.arch === "arm64" ? "arm64" : "x64";

test("on the machine's own processor, parts are those of the installation", () => {
  const parts = partsFor(root, own);
  expect(existsSync(parts.node)).toBe(true);
  const missing = runtimePackages(readLock(root), own).filter((path) => !existsSync(parts.folderOf(path)));
  expect(missing).toEqual([]);
});

test("package-lock.json has the compiled parts of both processors, with the sums of their archives", () => {
  const lock = readLock(root);
  const compiled = (cpu: string): readonly string[] =>
    runtimePackages(lock, cpu).filter((path) => lock[path]?.cpu !== undefined);
  expect(compiled("arm64").map((path) => path.replace("arm64", "x64"))).toEqual(compiled("x64"));
  const all = [...compiled("arm64"), ...compiled("x64")];
  expect(all.filter((path) => !lock[path]?.integrity?.startsWith("sha512-"))).toEqual([]);
});

test("an archive with one changed byte is not the one that was locked", () => {
  const archive = Buffer.from("an archive");
  const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  expect(isIntact(archive, integrity)).toBe(true);
  expect(isIntact(Buffer.from("an archivf"), integrity)).toBe(false);
});
