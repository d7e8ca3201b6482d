import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Execution, execute } from "../../../tools/checks/execute.ts";

const root = join(import.meta.dirname, "../../..");
const environment = join(root, ".run/schemathesis");
const requirements = join(import.meta.dirname, "requirements.txt");
const stamp = join(environment, "requirements.sha256");
const program = join(environment, "bin/schemathesis");

function fingerprint(): string {
  return createHash("sha256").update(readFileSync(requirements)).digest("hex");
}

function isInstalled(): boolean {
  try {
    return readFileSync(stamp, "utf8") === fingerprint();
  } catch {
    return false;
  }
}

async function mustRun(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await execute(command, args, 600_000);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
}

/** Creates the virtual environment, unless one with the same requirements exists. */
export async function installSchemathesis(): Promise<void> {
  if (isInstalled()) return;
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(join(root, ".run"), { recursive: true });
  await mustRun("python3", ["-m", "venv", environment]);
  const pip = join(environment, "bin/python");
  await mustRun(pip, ["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", requirements]);
  writeFileSync(stamp, fingerprint());
}

/** Runs Schemathesis with these arguments for at most `timeoutMs`. */
export function schemathesis(args: readonly string[], timeoutMs: number): Promise<Execution> {
  return execute(program, args, timeoutMs);
}
