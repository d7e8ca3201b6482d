import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** A source file: its path from the root of the repository, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The files in which services register routes. */
export function routeFiles(root: string): readonly SourceFile[] {
  return readdirSync(join(root, "services")).flatMap((service) => {
    const source = `services/${service}/src`;
    const names = readdirSync(join(root, source), { recursive: true, encoding: "utf8" });
    return names
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => (name === "server.ts" || name.startsWith("routes/")) && /(?<!\.test)\.ts$/u.test(name))
      .map((name) => ({ path: `${source}/${name}`, text: readFileSync(join(root, source, name), "utf8") }));
  });
}

/** The file that a name is imported from; the file itself for a name that it declares. */
function definedIn({ path, text }: SourceFile, name: string): string {
  for (const [, names = "", from = ""] of text.matchAll(/^import \{([^}]*)\} from "(\.[^"]+)";$/gmu)) {
    if (new RegExp(`\\b${name}\\b`, "u").test(names)) return posix.join(dirname(path), from);
  }
  return path;
}

/** A route whose handler is on the same statement: `operation("id")), handler: name(`. */
const route = /(?:operation|guarded|pathTo)\("(\w+)"\)[^;]*?\bhandler: (\w+)/gu;
/** A page: `servePage("id", name(`; `removal` also registers the form for browsers without script. */
const page = /(servePage|removal)\("(\w+)", (\w+)/gu;
/** The operations of a dialect are in its own file. */
const dialect = /operations: \[([^\]]*)\]/gu;

/** The operations that a file registers, each with the file of its handler. */
export function handlersIn(file: SourceFile): readonly (readonly [operationId: string, path: string])[] {
  const { path, text } = file;
  return [
    ...[...text.matchAll(route)].map(([, id = "", name = ""]) => [id, definedIn(file, name)] as const),
    ...[...text.matchAll(page)].flatMap(([, kind, id = "", name = ""]) => {
      const handler = definedIn(file, name);
      return [[id, handler] as const, ...(kind === "removal" ? [[`${id}ByForm`, handler] as const] : [])];
    }),
    ...[...text.matchAll(dialect)].flatMap(([, list = ""]) =>
      [...list.matchAll(/operation\("(\w+)"\)/gu)].map(([, id = ""]) => [id, path] as const),
    ),
  ];
}

/** The file of each operation's handler. */
export function findHandlers(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  return new Map(files.flatMap(handlersIn));
}
