import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { generatedConfigFiles } from "@postern/shared/config";

const root = join(import.meta.dirname, "..");

for (const [path, text] of generatedConfigFiles()) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  console.log(path);
}
