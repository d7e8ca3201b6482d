import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, lstatSync, mkdirSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

const packages = [
  "libs/shared",
  ...["gateway", "auth-engine", "idp", "admin", "jobs-worker"].map((name) => `services/${name}`),
];

/**
 * Copies the repository with uncommitted changes. Packages are hard links; the links to our own packages are relative and lead to those of
 * the copy, so its services and tests use the copied source.
 */
export function copyTree(root: string, copy: string): void {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const path of listed.toString("utf8").split("\0")) {
    const [from, to] = [join(root, path), join(copy, path)];
    if (path === "" || !existsSync(from)) continue;
    mkdirSync(dirname(to), { recursive: true });
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else copyFileSync(from, to);
  }
  for (const folder of ["", ...packages]) {
    const from = join(root, folder, "node_modules");
    if (existsSync(from)) execFileSync("cp", ["-al", from, join(copy, folder, "node_modules")]);
  }
  mkdirSync(join(copy, ".run"), { recursive: true });
}
