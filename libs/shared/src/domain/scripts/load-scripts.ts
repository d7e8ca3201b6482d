import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { parse } from "yaml";
import { AppError } from "../../platform/errors/app-error.ts";
import type { ScriptSet, ScriptSource } from "./messages.ts";

/** A file of the site and the functions that its stage calls. One file may serve several stages. */
export interface ScriptFile {
  readonly path: string;
  readonly entryPoints: readonly string[];
}

function unreadable(path: string, cause: unknown): AppError {
  return new AppError("CONFIG_INVALID", { detail: `${path} cannot be read`, cause });
}

async function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch((cause: unknown) => {
    throw unreadable(path, cause);
  });
}

async function readLibraries(folder: string): Promise<Record<string, string>> {
  if (folder === "") return {};
  const names = await readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
  const files = names.filter((name) => name.endsWith(".lua")).toSorted();
  const texts = await Promise.all(files.map((name) => readText(join(folder, name))));
  return Object.fromEntries(files.map((name, index) => [basename(name, ".lua"), texts[index] ?? ""]));
}

function textsOf(tree: unknown): Record<string, string> {
  if (typeof tree !== "object" || tree === null) return {};
  return Object.fromEntries(Object.entries(tree).map(([key, text]) => [key, String(text)]));
}

async function readTexts(path: string): Promise<Record<string, Record<string, string>>> {
  if (path === "") return {};
  const tree: unknown = parse(await readText(path));
  if (typeof tree !== "object" || tree === null) return {};
  return Object.fromEntries(Object.entries(tree).map(([language, texts]) => [language.toLowerCase(), textsOf(texts)]));
}

/**
 * Reads the files that a pool runs. Throws `CONFIG_INVALID` for a file that cannot be read.
 * @param packagePath folder of modules for `require`; empty: none
 * @param translationsPath YAML file, language → key → text; empty: none
 */
export async function loadScripts(
  files: readonly ScriptFile[],
  packagePath: string,
  translationsPath: string,
): Promise<ScriptSet> {
  const scripts = await Promise.all(
    [...Map.groupBy(files, ({ path }) => path)].map(
      async ([name, stages]): Promise<ScriptSource> => ({
        name,
        source: await readText(name),
        entryPoints: [...new Set(stages.flatMap(({ entryPoints }) => entryPoints))],
      }),
    ),
  );
  return { scripts, libraries: await readLibraries(packagePath), texts: await readTexts(translationsPath) };
}
