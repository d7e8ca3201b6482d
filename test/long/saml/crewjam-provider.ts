import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const source = fileURLToPath(new URL("crewjam/", import.meta.url));

/** Builds the service provider. @returns its program */
export async function buildCrewjam(folder: string): Promise<string> {
  const program = join(folder, "crewjam-provider");
  await run("go", ["build", "-mod=readonly", "-o", program, "."], { cwd: source });
  return program;
}
