// Bundles each service, and the command line, into its dist/bundle, from source. Usage: tools/bundle.ts [service ...|cli]
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Bundle, bundleCommandLine, bundleService } from "./bundle/bundle-service.ts";

const root = join(import.meta.dirname, "..");
const named = process.argv.slice(2);

function bundle(name: string): Promise<Bundle> {
  return name === "cli" ? bundleCommandLine(root) : bundleService(root, name);
}

for (const name of named.length > 0 ? named : [...readdirSync(join(root, "services")), "cli"]) {
  const { chunks, modules } = await bundle(name);
  const mib = chunks.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
  console.log(`${name}: ${modules} modules in ${chunks.length} files, ${mib.toFixed(1)} MiB`);
}
