import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type LuaScript, readScript } from "./read-script.ts";

/** Path of every script of Redis from the repository's root. */
export function scriptPaths(root: string): readonly string[] {
  return globSync("{libs,services}/*/src/**/scripts/*.lua", { cwd: root }).toSorted();
}

const listOf = (names: readonly string[]): string =>
  `[${names.map((name) => JSON.stringify(name)).join(", ")}] as const`;

function declaration({ name, keys, args, lua }: LuaScript): string {
  const escaped = lua.replaceAll(/[\\`]|\$\{/gu, (found) => `\\${found}`);
  const lists = keys === undefined || args === undefined ? "" : `  keys: ${listOf(keys)},\n  args: ${listOf(args)},\n`;
  return `export const ${name} = {\n  name: ${JSON.stringify(name)},\n${lists}  lua: \`${escaped}\`,\n};\n`;
}

/** The module of each folder with scripts: its path from the repository's root, and its text. */
export function scriptModules(root: string): ReadonlyMap<string, string> {
  const folders = Map.groupBy(scriptPaths(root), (path) => dirname(path));
  return new Map(
    [...folders].map(([folder, paths]) => {
      const scripts = paths.map((path) => declaration(readScript(path, readFileSync(join(root, path), "utf8"))));
      const head = "// Made from the .lua files of this folder by tools/generate-redis-scripts.ts; do not edit.\n";
      return [`${folder}/scripts.generated.ts`, [head, ...scripts].join("\n")];
    }),
  );
}
