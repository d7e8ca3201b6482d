import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const repository = join(import.meta.dirname, "../..");

/** Makes `root` a repository with our configuration files, our packages, and these files. */
export function plantFiles(
  root: string,
  configurations: readonly string[],
  files: Readonly<Record<string, string>>,
): void {
  for (const name of configurations) copyFileSync(join(repository, name), join(root, name));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** Runs one of our tools in `root`; returns its standard output. */
export function runIn(root: string, tool: string, ...args: readonly string[]): string {
  return spawnSync(join(repository, "node_modules/.bin", tool), args, { cwd: root, encoding: "utf8", timeout: 60_000 })
    .stdout;
}
