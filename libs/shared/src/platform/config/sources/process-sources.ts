import { readFileSync } from "node:fs";
import { configFileName, type Variables } from "./environment.ts";

export interface Sources {
  readonly env: Variables;
  /** Throws when the file cannot be read. */
  readonly readFile: (path: string) => string;
  readonly file?: string;
}

/** The environment and files of the process. No other module reads `process.env`. */
export function processSources(prefix = "SERVICE"): Sources {
  const env = { ...process.env };
  const file = env[configFileName(prefix)];
  return file === undefined ? { env, readFile } : { env, readFile, file };
}

function readFile(path: string): string {
  return readFileSync(path, "utf8");
}
