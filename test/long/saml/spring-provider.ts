import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ProviderProgram, startProviderProgram } from "./provider-program.ts";

const run = promisify(execFile);
const source = fileURLToPath(new URL("spring/", import.meta.url));

/** Installs Spring Security and OpenSAML from Maven Central. @returns the folder of their libraries */
export async function installSpring(folder: string): Promise<string> {
  const libraries = join(folder, "libraries");
  await run("mvn", ["-B", "-q", "dependency:copy-dependencies", `-DoutputDirectory=${libraries}`], { cwd: source });
  return libraries;
}

export const startSpringProvider = (libraries: string): ProviderProgram =>
  startProviderProgram("java", ["-cp", join(libraries, "*"), join(source, "Provider.java")]);
