import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleService } from "../../tools/bundle/bundle-service.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Before any file of tests: the services that they start are those of this source, as they are shipped. */
export async function setup(): Promise<void> {
  for (const name of readdirSync(`${root}services`)) await bundleService(root, name);
}
