import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Modules that a module names by a relative path; types count too, because one rule is simpler than two. */
const named = /(?:from|import\()\s*"(\.[^"]+)"/gu;
/** Files that a module of `tools` reads below the root. */
const read = /join\(root, "([^"]+)"\)/gu;

function all(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, path = ""]) => path);
}

/** Every file of the repository that the entries import or read, as paths from `root`. Generated files are left out. */
export function neededFiles(root: string, entries: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const pending = [...entries];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (!/\.[cm]?ts$/u.test(path)) continue;
    const text = readFileSync(join(root, path), "utf8");
    for (const other of all(text, named)) pending.push(relative(root, join(root, dirname(path), other)));
    const files = path.startsWith("tools/") ? all(text, read) : [];
    pending.push(...files.filter((file) => !file.startsWith("node_modules") && existsSync(join(root, file))));
  }
  return [...found].toSorted();
}

/** Sources of the COPY lines of a Dockerfile that take files from the build context. */
export function copiedPaths(dockerfile: string): readonly string[] {
  return [...dockerfile.matchAll(/^COPY ((?!--)[^\n]*)$/gmu)].flatMap(([, words = ""]) =>
    words.split(" ").slice(0, -1),
  );
}

/** Whether `.dockerignore` lets a file into the build context: the last pattern that fits decides, as in Docker. */
export function isInContext(dockerignore: string, path: string): boolean {
  let isIn = true;
  for (const line of dockerignore.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const isException = line.startsWith("!");
    const pattern = isException ? line.slice(1) : line;
    const form = pattern
      .replaceAll(".", String.raw`\.`)
      .replace(/^\*\*\//u, "(?:.*/)?")
      .replaceAll(/(?<!\.)\*/gu, "[^/]*");
    if (new RegExp(`^${form}(?:/|$)`, "u").test(path)) isIn = isException;
  }
  return isIn;
}
