import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

function current(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * The last step of every generator. Writes the files (path from `root`, text); with `check` it writes nothing and returns the files that
 * differ.
 */
export function writeOrCheck(
  files: ReadonlyMap<string, string>,
  { root, check }: { readonly root: string; readonly check: boolean },
): readonly string[] {
  const stale = [...files].filter(([path, text]) => current(join(root, path)) !== text);
  if (check) return stale.map(([path]) => path);
  for (const [path, text] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [];
}

/** Ends a generator's command: with `--check` the exit code is 1 if a file is out of date. */
export function generate(files: ReadonlyMap<string, string>): void {
  const stale = writeOrCheck(files, { root: join(import.meta.dirname, ".."), check: process.argv.includes("--check") });
  for (const path of stale) console.error(`${path} is not up to date; run make docs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}
