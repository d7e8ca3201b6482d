import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** `node_modules/a/node_modules/b` of a file in package b, as in package-lock.json. */
export function packageOf(file: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file)?.[0];
}

/** The npm packages of which code is in a bundle's folder, by its source maps: paths as in package-lock.json, sorted. */
export function bundledPackages(root: string, folder: string): readonly string[] {
  const maps = globSync("**/*.map", { cwd: join(root, folder) }).map((map) => join(root, folder, map));
  if (maps.length === 0) throw new Error(`${folder} has no source maps: run make build`);
  const files = maps.flatMap((map) => {
    const { sources }: { readonly sources: readonly string[] } = JSON.parse(readFileSync(map, "utf8"));
    return sources.map((source) => relative(root, join(dirname(map), source)));
  });
  const packages = files.map(packageOf).filter((path) => path !== undefined);
  return [...new Set(packages)].toSorted();
}
