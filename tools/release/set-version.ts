// Writes a version to every file that contains it. Usage: tools/release/set-version.ts VERSION
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { versionPlaces, withVersion } from "./version-places.ts";

const root = join(import.meta.dirname, "../..");
const [version = ""] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/u.test(version)) throw new Error("usage: tools/release/set-version.ts MAJOR.MINOR.PATCH");
for (const place of versionPlaces) {
  const path = join(root, place.file);
  writeFileSync(path, withVersion(readFileSync(path, "utf8"), place, version));
}
