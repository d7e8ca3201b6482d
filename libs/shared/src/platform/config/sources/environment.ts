import { readFileSync } from "node:fs";
import { messages } from "../messages.ts";
import type { Report } from "../problem.ts";
import { environmentName, formatPath, type Path, variablePrefix } from "../tree/walk.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** What the environment says about one key. */
export type FromEnvironment =
  | { readonly kind: "text"; readonly name: string; readonly text: string }
  | { readonly kind: "file"; readonly name: string; readonly file: string };

export type Environment = ReturnType<typeof createEnvironment>;

/**
 * Variables are found by the name of each key, never by taking a variable's name apart, so underscores inside keys
 * are unambiguous. `<NAME>_FILE` exists for secrets only.
 */
export function createEnvironment(variables: Variables, report: Report) {
  const used = new Set<string>();
  const take = (name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value !== undefined) used.add(name);
    return value;
  };
  return {
    /** The variable of a key, if set. It is recorded as used. */
    lookup: (path: Path, secret: boolean): FromEnvironment | undefined => {
      const name = environmentName(path);
      const text = take(name);
      const file = secret ? take(`${name}_FILE`) : undefined;
      if (text !== undefined && file !== undefined) report(formatPath(path), messages.secretTwice(name));
      if (file !== undefined) return { kind: "file", name: `${name}_FILE`, file };
      return text === undefined ? undefined : { kind: "text", name, text };
    },
    /** A variable for `${NAME}`. */
    expand: take,
    /** Variables with the prefix that no key has used. */
    unused: (): readonly string[] =>
      Object.keys(variables).filter(
        (name) => name.startsWith(`${variablePrefix}_`) && !used.has(name) && name !== configFileName,
      ),
  };
}

/** The variable with the path of the file, for services without the argument. */
const configFileName = `${variablePrefix}_CONFIG_FILE`;

/** The environment and files of the process. No other module reads `process.env`. `readFile` throws when the file cannot be read. */
export function processSources() {
  const env: Variables = { ...process.env };
  const file = env[configFileName];
  return file === undefined ? { env, readFile } : { env, readFile, file };
}

/** The revision of the source, which only images state. */
export const sourceRevision = process.env["POSTERN_REVISION"] ?? "";

function readFile(path: string): string {
  return readFileSync(path, "utf8");
}
