// Runs all generators of checked-in files: tools/generate-*.ts, in the order of their names.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

for (const file of readdirSync(import.meta.dirname)
  .filter((name) => /^generate-.*\.ts$/u.test(name))
  .toSorted()) {
  const path = join(import.meta.dirname, file);
  const { status } = spawnSync(process.execPath, [path], { stdio: "inherit" });
  console.log(`${status === 0 ? "wrote " : "FAILED"} ${file}`);
  if (status !== 0) process.exitCode = 1;
}
