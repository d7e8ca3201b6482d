import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Lock, readLock, runtimePackages } from "./runtime-packages.ts";

/** Processors of packages and images, by Node's names. */
export type Cpu = "x64" | "arm64";

/** Where the compiled parts of an application are. */
export interface Parts {
  /** The folder of a package of package-lock.json. */
  folderOf(path: string): string;
  /** Node's program. */
  readonly node: string;
}

/** The name of a package of package-lock.json. */
const nameOf = (path: string): string => path.replace(/^.*node_modules\//u, "");

/** Whether an archive is the one that package-lock.json names. */
export function isIntact(archive: Uint8Array, integrity: string): boolean {
  const separator = integrity.indexOf("-");
  const digest = createHash(integrity.slice(0, separator)).update(archive).digest("base64");
  return digest === integrity.slice(separator + 1);
}

/** Downloads a package and unpacks it into `folder`. */
function download(name: string, version: string, integrity: string | undefined, folder: string): void {
  const complete = `${folder}.complete`;
  if (existsSync(complete)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const args = ["pack", `${name}@${version}`, "--silent", "--ignore-scripts", "--pack-destination", folder];
  const archive = join(folder, execFileSync("npm", args, { encoding: "utf8" }).trim());
  if (integrity !== undefined && !isIntact(readFileSync(archive), integrity))
    throw new Error(`${name}@${version} is not the archive that package-lock.json names`);
  execFileSync("tar", ["-xzf", archive, "-C", folder, "--strip-components=1", "--no-same-owner"]);
  rmSync(archive);
  writeFileSync(complete, "");
}

function foreignParts(root: string, lock: Lock, cpu: Cpu): Parts {
  const folder = join(root, ".run/parts", cpu);
  const compiled = runtimePackages(lock, cpu).filter((path) => lock[path]?.cpu !== undefined);
  for (const path of compiled) {
    const { version = "", integrity } = lock[path] ?? {};
    download(nameOf(path), version, integrity, join(folder, path));
  }
  // The package `node` installs one of these; package-lock.json has none of them.
  const version = lock["node_modules/node"]?.version ?? "";
  download(`node-linux-${cpu}`, version, undefined, join(folder, `node-${version}`));
  return {
    folderOf: (path) => join(compiled.includes(path) ? folder : root, path),
    node: join(folder, `node-${version}/bin/node`),
  };
}

/** The compiled parts for a processor: those of the installation, or downloaded ones if this machine has another. */
export function partsFor(root: string, cpu: Cpu): Parts {
  if (cpu !== process.arch) return foreignParts(root, readLock(root), cpu);
  return { folderOf: (path) => join(root, path), node: join(root, "node_modules/node/bin/node") };
}
