import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Cpu, Parts } from "./parts.ts";
import { readLock, runtimePackages } from "./runtime-packages.ts";
import { services } from "./services.ts";

/** Files of a package that are for people, compilers and other systems only. */
const isNeeded = (path: string): boolean =>
  !/\.(?:d\.[cm]?ts|map|md|markdown|npmignore)$/u.test(path) &&
  !/^(?:\.github|test|tests|docs|examples?|benchmark|bin)$/u.test(basename(path));

const licenceFile = /^(?:licen[cs]e|copying|notice)/iu;

function licencesOf(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((file) => licenceFile.test(file) && !file.endsWith(".js"))
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
}

/** Licences of all packages that bundles contain or load; compiled parts are those of the application's processor. */
function licences(root: string, loaded: readonly string[], parts: Parts): string {
  const lock = Object.entries(readLock(root)).filter(
    ([path, entry]) =>
      path.startsWith("node_modules/") &&
      !("dev" in entry) &&
      (entry.cpu === undefined || loaded.includes(path)) &&
      existsSync(parts.folderOf(path)),
  );
  return lock
    .map(([path, { version }]) => {
      const folder = parts.folderOf(path);
      const { license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const title = `${path.replace(/^.*node_modules\//u, "")} ${version} (${license ?? "see below"})`;
      return [title, "-".repeat(title.length), ...licencesOf(folder), ""].join("\n");
    })
    .join("\n");
}

/**
 * Writes what services need at run time into `target`, in the layout of the repository: bundles without source maps, the packages that stay
 * outside bundles, and the licences of everything. The bundles must exist.
 */
export function writeRuntimeTree(root: string, target: string, cpu: Cpu, parts: Parts): void {
  for (const service of services) {
    const bundle = `services/${service}/dist/bundle`;
    cpSync(join(root, bundle), join(target, bundle), { recursive: true, filter: (path) => !path.endsWith(".map") });
    writeFileSync(join(target, "services", service, "package.json"), '{ "type": "module" }\n');
  }
  const loaded = runtimePackages(readLock(root), cpu);
  for (const path of loaded) cpSync(parts.folderOf(path), join(target, path), { recursive: true, filter: isNeeded });
  writeFileSync(join(target, "THIRD-PARTY-LICENSES"), licences(root, loaded, parts));
}

/** Sets the modes that every file of a package has: readable by all, writable by the owner, executable where named. */
export function setModes(folder: string, isExecutable: (path: string) => boolean): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    chmodSync(path, entry.isDirectory() || isExecutable(path) ? 0o755 : 0o644);
  }
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
}
