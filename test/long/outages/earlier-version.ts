import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Stack } from "../../support/stack.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Without a release, this many steps of the main line ago. */
const steps = 20;

async function git(...args: readonly string[]): Promise<string> {
  return (await run("git", args, { cwd: root })).stdout.trim();
}

/** The last release before this version, or an earlier revision if there has been none. */
async function earlierRevision(): Promise<string> {
  return git("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^").catch(() =>
    git("rev-list", "--first-parent", "--max-count=1", `--skip=${steps}`, "HEAD"),
  );
}

export interface EarlierVersion extends AsyncDisposable {
  /** The working copy, with a slash at the end. */
  readonly copy: string;
}

export interface EarlierVersionOptions {
  /** Default: the last release before this version, or an earlier revision if there has been none. */
  readonly revision?: string;
  /** Changes the source before it is bundled. */
  readonly edit?: (copy: string) => Promise<void>;
}

/** Checks an earlier version out and bundles it with its own tools. It uses the packages that are installed here. */
export async function buildEarlierVersion({ revision, edit }: EarlierVersionOptions = {}): Promise<EarlierVersion> {
  await mkdir(join(root, ".run/test"), { recursive: true });
  const folder = await mkdtemp(join(root, ".run/test/earlier-"));
  const remove = () => rm(folder, { recursive: true });
  const [archive, copy] = [join(folder, "source.tar"), join(folder, "copy")];
  try {
    await mkdir(copy);
    // From the top of the working tree: in a folder of it, as a copy of the source is, git would archive that folder only.
    const top = await git("rev-parse", "--show-toplevel");
    await git("-C", top, "archive", "--format=tar", "-o", archive, revision ?? (await earlierRevision()));
    await run("tar", ["-xf", archive, "-C", copy]);
    // Hard links; the links to our own packages are relative, and lead to those of the copy.
    await run("cp", ["-al", join(root, "node_modules"), join(copy, "node_modules")]);
    await edit?.(copy);
    await run(process.execPath, [join(copy, "tools/bundle.ts")], { cwd: copy });
  } catch (error) {
    await remove();
    throw error;
  }
  return { copy: `${copy}/`, [Symbol.asyncDispose]: remove };
}

/** The only file of `beforeTraces` that does not work with the packages of this version. */
const bcrypt = "libs/shared/src/domain/passwords/bcrypt.ts";

/**
 * The last version without traces. Its engines have no subjects of their own, and count a request that another engine has counted. It needs
 * the configuration of `configBeforeTraces`.
 */
export const beforeTraces: EarlierVersionOptions = {
  revision: "8ee0572e",
  edit: (copy) => copyFile(join(root, bcrypt), join(copy, bcrypt)),
};

/** Writes the part of a stack's configuration that `beforeTraces` knows. @returns the path */
export async function configBeforeTraces({
  configFile,
  folder,
}: Pick<Stack, "configFile" | "folder">): Promise<string> {
  const { observability, ...tree } = JSON.parse(await readFile(configFile, "utf8"));
  const { decision_history: _, ...known } = observability;
  const path = join(folder, "before-traces.yaml");
  await writeFile(path, JSON.stringify({ ...tree, observability: known }));
  return path;
}
