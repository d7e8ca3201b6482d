import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Parts } from "../package/parts.ts";
import { type Lock, readLock, resolvePackage, runtimePackages } from "../package/runtime-packages.ts";
import { services } from "../package/services.ts";
import { bundledPackages } from "./bundled-packages.ts";
import { type SbomPackage, sbomOf } from "./sbom.ts";

const nameOf = (path: string): string => path.replace(/^.*node_modules\//u, "");

/** The places of every package, by its path in package-lock.json. */
function placesOf(root: string, cpu: string, inCommandLine: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, readonly string[]>();
  const add = (path: string, place: string): unknown => places.set(path, [...(places.get(path) ?? []), place]);
  for (const service of services) {
    for (const path of bundledPackages(root, `services/${service}/dist/bundle`)) add(path, `bundle ${service}`);
  }
  for (const path of inCommandLine) add(path, "bundle postern");
  for (const path of runtimePackages(readLock(root), cpu)) add(path, "node_modules");
  add("node_modules/node", "bin/node");
  return places;
}

function packageAt(folder: string, lock: Lock, path: string, places: readonly string[]): SbomPackage {
  const entry = lock[path];
  if (entry === undefined) throw new Error(`package-lock.json has no ${path}`);
  const { license }: { readonly license?: unknown } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
  const others = names.map((name) => resolvePackage(lock, name, path)).filter((other) => other !== undefined);
  return {
    name: nameOf(path),
    version: entry.version,
    licence: typeof license === "string" ? license : undefined,
    integrity: entry.integrity,
    places,
    dependsOn: others.map((other) => `${nameOf(other)}@${lock[other]?.version}`),
  };
}

/** Libraries inside the pinned Node: those of the one that runs this, because they are the same for every processor. */
function versionsOfNode(root: string): Readonly<Record<string, string>> {
  const program = join(root, "node_modules/.bin/node");
  return JSON.parse(execFileSync(program, ["-p", "JSON.stringify(process.versions)"], { encoding: "utf8" }));
}

/**
 * The document of what a package or image of this tree contains, beside the packages of Debian. The services' bundles must exist;
 * `inCommandLine` are the packages in the bundle of `postern`.
 */
export function sbomOfTree(root: string, cpu: string, inCommandLine: readonly string[], parts: Parts): string {
  const lock = readLock(root);
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const places = [...placesOf(root, cpu, inCommandLine)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const packages = places.map(([path, where]) => packageAt(parts.folderOf(path), lock, path, where));
  return sbomOf({ name, version, packages, node: "node", inNode: versionsOfNode(root) });
}
