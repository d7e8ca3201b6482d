import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const source = fileURLToPath(new URL("crewjam/", import.meta.url));

/** Undefined without a Go that can build it; Debian 12 has one that is too old (go.mod requires 1.23). */
export async function buildCrewjam(folder: string): Promise<string | undefined> {
  const version = await run("go", ["env", "GOVERSION"]).catch(() => undefined);
  const minor = /^go1\.(\d+)/.exec(version?.stdout ?? "")?.[1];
  if (Number(minor ?? 0) < 23) return undefined;
  const program = join(folder, "crewjam-provider");
  await run("go", ["build", "-mod=readonly", "-o", program, "."], { cwd: source });
  return program;
}
