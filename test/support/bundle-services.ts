import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleCommandLine, bundleService } from "../../tools/bundle/bundle-service.ts";
import { storeCompiledCode } from "./compiled-code/store.ts";
import { writeDemoSeed } from "./demo-users.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Bundles the services, and the command line, which runs them in one process, before any test file runs, so that tests start the current source in its shipped form. */
export async function setup(): Promise<void> {
  for (const name of readdirSync(`${root}services`)) await bundleService(root, name);
  await bundleCommandLine(root);
  await writeDemoSeed();
  await storeCompiledCode();
}
