import { globSync, readFileSync } from "node:fs";
import { routeFamilies } from "@postern/shared/contracts";

/** Source that runs at a site. */
const shipped = ["services/*/src/**/*.ts", "libs/shared/src/**/*.ts", "tools/cli/**/*.ts"];

const exempt: readonly RegExp[] = [
  // The operation table itself.
  /^libs\/shared\/src\/contracts\//u,
  /\.test\.ts$/u,
  /^libs\/shared\/src\/testing\//u,
  // Each process's own listener for health checks and metrics, which is no part of the HTTP interface.
  /^libs\/shared\/src\/platform\/lifecycle\/private-listener\.ts$/u,
];

const prefixes = routeFamilies.map(({ prefix }) => prefix).filter((prefix) => prefix !== "/");

/** A prefix at the start of a string, or after a value in a template. */
const named = new RegExp(
  String.raw`["'\x60}](?:${["/api/v1", ...prefixes].map((prefix) => prefix.replaceAll(".", String.raw`\.`)).join("|")})(?=["'\x60/?$])[^"'\x60\s]*`,
  "gu",
);

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//gu, "").replaceAll(/(^|\s)\/\/.*$/gmu, "$1");
}

/** The strings of a source that spell the path of an operation. */
export function pathsIn(source: string): readonly string[] {
  return [...withoutComments(source).matchAll(named)].map(([found]) => found.slice(1));
}

/** Places outside the operation table that spell a path: `<file>: <path>`. */
export function spelledPaths(root: string): readonly string[] {
  const files = shipped.flatMap((pattern) => globSync(pattern, { cwd: root }));
  return files
    .filter((file) => !exempt.some((pattern) => pattern.test(file)))
    .flatMap((file) => pathsIn(readFileSync(`${root}/${file}`, "utf8")).map((path) => `${file}: ${path}`));
}
