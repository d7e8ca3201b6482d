import { readFileSync } from "node:fs";
import { type Config, formatProblem, loadConfig } from "@postern/shared/platform/config";

function readFile(path: string): string {
  return readFileSync(path, "utf8");
}

/** Loads a configuration as a container would, without its secrets. Throws with all problems and unused variables. */
export function loadDeployed(file: string, env: Readonly<Record<string, string>> = {}): Config {
  const result = loadConfig({ file, env, readFile, skipSecretFiles: true });
  const unused = result.warnings.filter(({ path }) => path.startsWith("SERVICE_"));
  const problems = [...(result.ok ? [] : result.problems), ...unused].map(formatProblem);
  if (!result.ok || problems.length > 0) throw new Error(problems.join("\n"));
  return result.config;
}

/** The names of the secrets that a configuration reads from `folder`. */
export function secretFiles(configText: string, folder: string): readonly string[] {
  return [...configText.matchAll(/\{ file: (\S+) \}/gu)]
    .map(([, path = ""]) => path)
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length))
    .toSorted();
}

/** The variables that a kustomization puts into a ConfigMap. */
export function literalsOf(literals: readonly unknown[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    literals.map((literal): [string, string] => {
      const [name = "", ...rest] = String(literal).split("=");
      return [name, rest.join("=")];
    }),
  );
}
