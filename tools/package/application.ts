import { chmodSync, copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { bundleProgram } from "../bundle/bundle-service.ts";
import { bundledPackages } from "../release/bundled-packages.ts";
import { sbomOfTree } from "../release/sbom-of-tree.ts";
import { type Cpu, partsFor } from "./parts.ts";
import { writeRuntimeTree } from "./runtime-tree.ts";

/** Node's licence and those of its libraries. In git, because npm may remove the package that contains it after its set-up. */
export function nodeLicence(root: string): string {
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return join(root, `tools/package/licences/node-${devDependencies.node}.txt`);
}

/** Writes a bundle without source maps into `target`, for use without the repository. Returns the npm packages in it. */
export async function writeProgram(root: string, entry: string, target: string): Promise<readonly string[]> {
  await bundleProgram(root, { entry, folder: relative(root, target) });
  const packages = bundledPackages(root, relative(root, target));
  for (const map of globSync("**/*.map", { cwd: target })) rmSync(join(target, map));
  return packages;
}

/**
 * Writes everything that packages and images contain into `target`: services, the packages that they load, the command line, Node, licences
 * and the list of it all. The services' bundles must exist.
 */
export async function writeApplication(root: string, target: string, cpu: Cpu): Promise<void> {
  const parts = partsFor(root, cpu);
  writeRuntimeTree(root, target, cpu, parts);
  const inCommandLine = await writeProgram(root, "cli/src/main.ts", join(target, "cli/dist/bundle"));
  writeFileSync(join(target, "package.json"), '{ "type": "module" }\n');
  mkdirSync(join(target, "bin"));
  copyFileSync(parts.node, join(target, "bin/node"));
  chmodSync(join(target, "bin/node"), 0o755);
  writeFileSync(join(target, "NODE-LICENSE"), readFileSync(nodeLicence(root)));
  writeFileSync(join(target, "LICENSE"), readFileSync(join(root, "LICENSE")));
  writeFileSync(join(target, "sbom.cdx.json"), sbomOfTree(root, cpu, inCommandLine, parts));
}
