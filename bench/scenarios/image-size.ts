import { join } from "node:path";
import { execute } from "../../tools/checks/execute.ts";
import { filesMb } from "../measure/files.ts";
import type { Servers } from "../stack/servers.ts";

/**
 * Debian's part of the image: `docker image inspect` showed 237 MB with 159 MB of our files (docs/operate/image.md). Docker is not needed
 * to measure the rest.
 */
const debianMb = 78;
const withinMs = 300_000;

async function run(command: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await execute(command, args, withinMs);
  if (code !== 0) throw new Error(`${command} failed:\n${output}`);
}

/** Writes what the Dockerfile copies into the image, and adds up the sizes of its files. The services' bundles must exist. */
export async function measureImageSize({ folder }: Servers): Promise<number> {
  const target = join(folder, "image");
  await run(process.execPath, "tools/image-tree.ts", target);
  await run("strip", join(target, "app/bin/node"));
  return debianMb + filesMb(target);
}
