import { execFile } from "node:child_process";
import { access, cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The revision whose cost decides the targets (design, section 5). */
export const baseRevision = "f664a68f";

const root = fileURLToPath(new URL("../../", import.meta.url));

const run = (command: string, args: readonly string[], cwd: string) => promisify(execFile)(command, [...args], { cwd });

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * The folder of the built services of `baseRevision`, with the dependencies of this tree.
 *
 * @returns undefined if the repository does not contain the revision, as in a shallow clone
 */
export async function buildBaseRevision(): Promise<string | undefined> {
  const isKnown = await run("git", ["cat-file", "-e", `${baseRevision}^{commit}`], root).then(
    () => true,
    () => false,
  );
  if (!isKnown) return undefined;
  const folder = join(root, ".run/bench", baseRevision);
  const built = join(folder, "services/auth-engine/dist/bundle/main.js");
  if (await exists(built)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run("sh", ["-c", `git archive ${baseRevision} | tar -x -C "$1"`, "sh", folder], root);
  // Links between workspaces are relative, so that they lead to the copy.
  await cp(join(root, "node_modules"), join(folder, "node_modules"), { recursive: true, verbatimSymlinks: true });
  const shared = "libs/shared/node_modules";
  if (await exists(join(root, shared))) {
    await cp(join(root, shared), join(folder, shared), { recursive: true, verbatimSymlinks: true });
  }
  await run(process.execPath, ["tools/bundle.ts", "gateway", "auth-engine"], folder);
  return folder;
}
