import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ProviderProgram, startProviderProgram } from "./provider-program.ts";

const run = promisify(execFile);
const script = fileURLToPath(new URL("pysaml2_provider.py", import.meta.url));
const version = "7.5.5";

/** Installs pysaml2 in an environment of its own. @returns its Python */
export async function installPysaml2(folder: string): Promise<string> {
  const environment = join(folder, "python");
  await run("python3", ["-m", "venv", environment]);
  const python = join(environment, "bin/python");
  await run(python, ["-m", "pip", "install", "--quiet", `pysaml2==${version}`]);
  return python;
}

export const startPythonProvider = (python: string): ProviderProgram => startProviderProgram(python, [script]);
