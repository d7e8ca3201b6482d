// Bundles each service into its dist/bundle, from source. Usage: tools/bundle.ts [service ...]
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { bundleService } from "./bundle/bundle-service.ts";

const root = join(import.meta.dirname, "..");
const named = process.argv.slice(2);

for (const name of named.length > 0 ? named : readdirSync(join(root, "services"))) {
  const { chunks, modules } = await bundleService(root, name);
  const mib = chunks.reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20;
  console.log(`${name}: ${modules} modules in ${chunks.length} files, ${mib.toFixed(1)} MiB`);
}
