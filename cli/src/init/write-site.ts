import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { SiteConfiguration } from "./site-configuration.ts";

/** Something that exists already and is not overwritten. */
export class AlreadyThere extends Error {}

/** The ID of the group that reads the configuration; undefined if only the owner may. */
export function groupId(name: string, groups = "/etc/group"): number | undefined {
  if (!existsSync(groups)) return undefined;
  const line = readFileSync(groups, "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  const id = Number(line?.split(":")[2]);
  return line === undefined || !Number.isInteger(id) ? undefined : id;
}

function writeNew(path: string, content: string, group: number | undefined): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (group === undefined) return;
  chownSync(path, process.getuid?.() ?? 0, group);
  chmodSync(path, 0o640);
}

function makeFolder(path: string, group: number | undefined): void {
  mkdirSync(path, { mode: 0o700 });
  if (group === undefined) return;
  chownSync(path, process.getuid?.() ?? 0, group);
  chmodSync(path, 0o750);
}

function refuseExisting(folder: string, names: readonly string[]): void {
  const found = names.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) throw new AlreadyThere(found);
}

/** Publishes a file under its name unless the name is taken; link(2) decides between two that try. */
function publish(staged: string, target: string): void {
  try {
    linkSync(staged, target);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") throw new AlreadyThere(target);
    throw error;
  }
}

/** A folder can replace an empty one only, so that the later of two runs fails. */
function publishFolder(staged: string, target: string): void {
  try {
    renameSync(staged, target);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST"))
      throw new AlreadyThere(target);
    throw error;
  }
}

export interface WriteOptions {
  readonly folder: string;
  readonly group: number | undefined;
  /** Runs when all files but the configuration have their names; a failure removes them again. */
  readonly verify: () => Promise<void>;
}

/**
 * Writes all files or none. The configuration is published last, because services and units regard its existence as the end of the set-up.
 * @throws AlreadyThere
 */
export async function writeSite(site: SiteConfiguration, { folder, group, verify }: WriteOptions): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  refuseExisting(folder, ["config.yaml", "secrets", ...site.files.keys()]);
  const staging = join(folder, `.init-${randomBytes(6).toString("hex")}`);
  makeFolder(staging, group);
  const published: string[] = [];
  try {
    makeFolder(join(staging, "secrets"), group);
    for (const [name, value] of site.secrets) writeNew(join(staging, "secrets", name), `${value}\n`, group);
    for (const [name, text] of site.files) writeNew(join(staging, name), text, group);
    writeNew(join(staging, "config.yaml"), site.text, group);
    publishFolder(join(staging, "secrets"), join(folder, "secrets"));
    published.push("secrets");
    for (const name of site.files.keys()) {
      publish(join(staging, name), join(folder, name));
      published.push(name);
    }
    await verify();
    publish(join(staging, "config.yaml"), join(folder, "config.yaml"));
  } catch (error) {
    for (const name of published) rmSync(join(folder, name), { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
