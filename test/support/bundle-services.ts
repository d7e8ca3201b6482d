import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Bundle, bundleCommandLine, bundleService } from "../../tools/bundle/bundle-service.ts";
import { storeCompiledCode } from "./compiled-code/store.ts";
import { writeDemoSeed } from "./demo-users.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** For each program, the files of its last bundle, and when they were written. */
const stampsFile = `${root}.run/test/bundles.json`;

type Stamp = readonly (readonly [file: string, changedMs: number])[];
type Stamps = Record<string, Stamp>;

function readStamps(): Stamps {
  try {
    return JSON.parse(readFileSync(stampsFile, "utf8"));
  } catch {
    return {};
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file));
}

/** What was read and what was written, with the bundler itself. */
function stampOf(program: string, { sources }: Bundle): Stamp {
  const files = [...sources, ...filesIn(`${root}tools/bundle`), ...filesIn(`${root}${program}/dist/bundle`)];
  return files.map((file) => [file, statSync(file).mtimeMs]);
}

function isUnchanged(stamp: Stamp | undefined): boolean {
  return stamp?.every(([file, changedMs]) => statSync(file, { throwIfNoEntry: false })?.mtimeMs === changedMs) === true;
}

/** Bundles what has changed since the last run of tests: nothing, where a developer runs one file again. */
async function bundleChanged(): Promise<void> {
  const stamps = readStamps();
  for (const name of readdirSync(`${root}services`)) {
    const program = `services/${name}`;
    if (!isUnchanged(stamps[program])) stamps[program] = stampOf(program, await bundleService(root, name));
  }
  if (!isUnchanged(stamps["cli"])) stamps["cli"] = stampOf("cli", await bundleCommandLine(root));
  mkdirSync(dirname(stampsFile), { recursive: true });
  writeFileSync(`${stampsFile}.new`, JSON.stringify(stamps));
  renameSync(`${stampsFile}.new`, stampsFile);
}

/** Bundles the services, and the command line, which runs them in one process, before any test file runs, so that tests start the current source in its shipped form. */
export async function setup(): Promise<void> {
  await bundleChanged();
  await writeDemoSeed();
  await storeCompiledCode();
}
