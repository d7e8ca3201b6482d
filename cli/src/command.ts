import { existsSync } from "node:fs";
import { type LoadResult, loadConfig, nearestName, processSources } from "@postern/shared/platform/config";
import type { Terminal } from "./read-password.ts";

/** Output and exit code of a command. `exit-codes.ts` says what the codes mean. */
export interface CommandResult {
  readonly exitCode: 0 | 1 | 2 | 3;
  readonly output: readonly string[];
  readonly errors: readonly string[];
}

/** What a command takes from the process that runs it. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** Reports progress. */
  readonly progress: (line: string) => void;
}

/** A command, for running it, help, completion and the manual page. */
export interface Command {
  readonly name: string;
  readonly group: "site" | "setup" | "files";
  /** The overview shows these lines: what follows `postern`, and what it does. */
  readonly forms: readonly (readonly [usage: string, summary: string])[];
  /** Second words; empty without any. */
  readonly actions: readonly string[];
  /** The name without its leading hyphens. */
  readonly options: readonly string[];
  /** What `--help` prints. */
  readonly help: readonly string[];
  /** @param args what follows the name of the command */
  readonly run: (args: readonly string[], surroundings: Surroundings) => CommandResult | Promise<CommandResult>;
}

/** Where `postern init` of the Debian package writes it. */
const usualFile = "/etc/postern/config.yaml";

/** The configuration of this machine's site: the one that is named, of the environment, or at the usual place. */
export function siteFile(named: string | undefined): string | undefined {
  return named ?? processSources().file ?? (existsSync(usualFile) ? usualFile : undefined);
}

/** Loads the configuration as a service would, with the environment of this process. */
export function loadForCommand({
  file,
  skipSecretFiles,
}: {
  readonly file: string | undefined;
  readonly skipSecretFiles: boolean;
}): LoadResult {
  return loadConfig({ ...processSources(), file: siteFile(file), skipSecretFiles });
}

/** Whether `parseArgs` refused the command line. */
export function isWrongArgument(error: unknown): error is Error {
  return error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
}

/** Refuses a command, or with `topic` its second word, and names the nearest one that exists. */
export function unknownWord(word: string, known: readonly string[], topic?: string): CommandResult {
  const whole = (one: string): string => (topic === undefined ? one : `${topic} ${one}`);
  const near = nearestName(word, known);
  const hint = near === undefined ? "" : ` (did you mean ${whole(near)}?)`;
  return {
    exitCode: 2,
    output: [],
    errors: [
      `postern: unknown command ${JSON.stringify(whole(word))}${hint}`,
      "run postern --help for the list of commands",
    ],
  };
}
