import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { workerStartedBy } from "../bundle/workers.ts";

/** A name that a file imports from another file; `*` stands for all its names. */
interface Import {
  readonly target: string;
  readonly name: string;
}

interface SourceFile {
  readonly imports: readonly Import[];
  /** For each name that is exported from another file, that file and the name there. */
  readonly passedOn: ReadonlyMap<string, Import>;
}

const library = "libs/shared/src";
const layered = /^libs\/shared\/src\/(?:platform|domain|assembly)\//u;
const sources = [`${library}/**/*.ts`, "services/*/src/**/*.ts", "tools/**/*.ts", "bench/**/*.ts"];
/** Tests and their parts do not count as users, because they may use everything that they test. */
const tests = /\.test\.ts$|\/testing\//u;

const statement = /^(import|export)\s+(?:type\s+)?(?:(\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+)?"([^"]+)";/gmu;
const importedLater = /\bimport\(\s*"([^"]+)"/gu;

function targetOf(from: string, specifier: string): string | undefined {
  const shared = /^@postern\/shared\/(.+)$/u.exec(specifier)?.[1];
  if (shared !== undefined) return `${library}/${shared}/index.ts`;
  return specifier.startsWith(".") ? normalize(join(dirname(from), specifier)) : undefined;
}

/** The names in `{ a, type b as c }`, each with the name that the importing file gives it. */
function namesIn(clause: string | undefined): readonly (readonly [string, string])[] {
  if (clause === undefined || clause.startsWith("*")) return [["*", "*"]];
  const items = clause.slice(1, -1).split(",");
  return items.flatMap((item) => {
    const [name, alias] = item
      .trim()
      .replace(/^type\s+/u, "")
      .split(/\s+as\s+/u);
    return name === undefined || name === "" ? [] : [[name, alias ?? name] as const];
  });
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const imports: Import[] = [];
  const passedOn = new Map<string, Import>();
  for (const [, keyword, clause, specifier = ""] of text.matchAll(statement)) {
    const target = targetOf(path, specifier);
    if (target === undefined) continue;
    for (const [name, alias] of namesIn(clause)) {
      if (keyword === "export" && name !== "*") passedOn.set(alias, { target, name });
      else imports.push({ target, name });
    }
  }
  for (const [, specifier = ""] of text.matchAll(importedLater)) {
    const target = targetOf(path, specifier);
    if (target !== undefined) imports.push({ target, name: "*" });
  }
  const thread = workerStartedBy(path);
  if (thread !== undefined) imports.push({ target: thread.source, name: "*" });
  return { imports, passedOn };
}

/** The files that hold what an import names: the file behind an index.ts, or the file itself. */
function filesBehind(files: ReadonlyMap<string, SourceFile>, { target, name }: Import): readonly string[] {
  const file = files.get(target);
  if (file === undefined) return [];
  if (name === "*") return [target, ...[...file.passedOn.values()].flatMap((next) => filesBehind(files, next))];
  const next = file.passedOn.get(name);
  return next === undefined ? [target] : filesBehind(files, next);
}

/** The service that a file belongs to; what runs beside the services counts as one more. */
function userOf(path: string): string {
  return /^services\/([^/]+)\//u.exec(path)?.[1] ?? "tools";
}

/** For each module in a layer of the shared library, the services that use it, directly or through other modules. */
export function sharedUsers(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const paths = sources.flatMap((pattern) => globSync(pattern, { cwd: root })).filter((path) => !tests.test(path));
  const files = new Map(paths.map((path) => [path, readSource(root, path)]));
  const users = new Map<string, Set<string>>();
  const mark = (path: string, user: string): void => {
    const known = users.get(path) ?? new Set();
    if (known.has(user)) return;
    users.set(path, known.add(user));
    for (const used of files.get(path)?.imports ?? []) for (const file of filesBehind(files, used)) mark(file, user);
    const { passedOn } = files.get(path) ?? { passedOn: new Map<string, Import>() };
    if (!path.endsWith("/index.ts"))
      for (const used of passedOn.values()) for (const file of filesBehind(files, used)) mark(file, user);
  };
  for (const path of paths) if (!path.startsWith(`${library}/`)) mark(path, userOf(path));
  const modules = paths.filter((path) => layered.test(path) && !path.endsWith("/index.ts"));
  return new Map(modules.map((path) => [path, users.get(path) ?? new Set()]));
}

/** Modules that stay in the library although one service alone uses them, each with the reason. */
export const reviewed: Readonly<Record<string, string>> = {
  "libs/shared/src/domain/brute-force/bans-by-end.ts": "beside the index that it reads, with the script and the shards",
  "libs/shared/src/domain/risk/hold-scope.ts":
    "the rule of what a hold covers stands beside the rule of what proves a sign-in",
  "libs/shared/src/platform/config/client-defaults.ts":
    "the defaults belong to the schema, which only the library reads",
};

/** Modules of the library that fewer than two services use, and that were not reviewed: `<module>: <users>`. */
export function usedByOne(root: string, allowed: Readonly<Record<string, string>> = reviewed): readonly string[] {
  return [...sharedUsers(root)]
    .filter(([path, users]) => users.size < 2 && !Object.hasOwn(allowed, path))
    .map(([path, users]) => `${path}: ${[...users].join() || "nobody"}`)
    .toSorted();
}
