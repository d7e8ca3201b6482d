import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The sum of the sizes of all files in a folder, in millions of bytes. */
export function filesMb(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return (
    entries.map((entry) => lstatSync(join(folder, entry))).reduce((sum, it) => sum + (it.isFile() ? it.size : 0), 0) /
    1e6
  );
}
