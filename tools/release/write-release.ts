import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Artefact, type Build, provenanceOf } from "./provenance.ts";

export interface Release {
  readonly root: string;
  /** Folder of the artefacts; sums and provenance are written beside them. */
  readonly folder: string;
  readonly build: Pick<Build, "kind" | "parameters">;
  /** Names of files in the folder. */
  readonly files: readonly string[];
  /** What is released, but not as a file, such as an image in Docker's store. */
  readonly others: readonly Artefact[];
  /** Name of the provenance statement. */
  readonly statement: string;
  /** Key of gpg that signs the sums; empty for none. */
  readonly key: string;
}

function sha256Of(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

function git(root: string, ...args: readonly string[]): string {
  try {
    return execFileSync("git", ["-C", root, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // A tree from an archive.
    return "unknown";
  }
}

/** The commit of the tree, or `unknown`. */
export function commitOf(root: string): string {
  return git(root, "rev-parse", "HEAD");
}

function sign(sums: string, key: string): string {
  rmSync(`${sums}.asc`, { force: true });
  if (key === "") return "not signed: set KEY= to a key";
  execFileSync("gpg", ["--batch", "--local-user", key, "--armor", "--detach-sign", sums], { stdio: "inherit" });
  return `signed in ${sums}.asc`;
}

const forEveryProcessor = (name: string): string => name.replace(/_(?:amd64|arm64)\./u, "_*.");

/** Lines of the files just written, and of those of the same release for other processors, which earlier runs have written. */
function sumsOf(folder: string, files: readonly string[]): string {
  const others = globSync(files.map(forEveryProcessor), { cwd: folder });
  const names = [...new Set([...files, ...others])].toSorted();
  return names.map((name) => `${sha256Of(join(folder, name))}  ${name}\n`).join("");
}

/** Writes the provenance statement and the sums of all files, the statement included. Returns whether they are signed, in words. */
export function writeRelease({ root, folder, build, files, others, statement, key }: Release): string {
  const artefacts = files.map((name) => ({ name, sha256: sha256Of(join(folder, name)) }));
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const text = provenanceOf({
    ...build,
    commit: commitOf(root),
    isModified: git(root, "status", "--porcelain", "--untracked-files=no") !== "",
    lockSha256: sha256Of(join(root, "package-lock.json")),
    node: devDependencies.node,
    artefacts: [...artefacts, ...others],
  });
  writeFileSync(join(folder, statement), text);
  const sums = join(folder, "SHA256SUMS");
  writeFileSync(sums, sumsOf(folder, [...files, statement]));
  return sign(sums, key);
}
