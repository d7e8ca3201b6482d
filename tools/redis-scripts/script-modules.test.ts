import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { scratchFolder } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { readScript } from "./read-script.ts";
import { scriptModules, scriptPaths } from "./script-modules.ts";

const root = join(import.meta.dirname, "../..");
const paths = scriptPaths(root);
const sources = globSync("{libs,services}/*/src/**/*.ts", { cwd: root }).filter(
  (path) => !path.endsWith(".test.ts") && !path.endsWith(".generated.ts"),
);

const readText = (path: string): string => readFileSync(join(root, path), "utf8");

/** `<folder> <name>` of each script that a source file imports. */
function importsOf(source: string): readonly string[] {
  const importForm = /import \{([^}]+)\} from "([^"]+)\/scripts\.generated\.ts";/gu;
  return [...readText(source).matchAll(importForm)].flatMap(([, names = "", folder = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => `${join(dirname(source), folder)} ${name}`),
  );
}

test("each script of Redis is used by exactly one adapter, in the folder above it", () => {
  expect(paths.length).toBeGreaterThan(25);
  const imports = sources.flatMap((source) => importsOf(source).map((script) => ({ source, script })));
  const wrong = paths.filter((path) => {
    const script = `${dirname(path)} ${readScript(path, readText(path)).name}`;
    const users = imports.filter((one) => one.script === script).map(({ source }) => dirname(source));
    return users.join() !== dirname(dirname(path));
  });
  expect(wrong).toEqual([]);
});

test("no two scripts have the same name, because a client knows them by it", () => {
  const names = paths.map((path) => basename(path));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("TypeScript contains no script of Redis, and each generated module belongs to a folder with scripts", () => {
  const embedded = sources.filter((path) => /redis\.call\(|\.eval\(/u.test(readText(path)));
  expect(embedded).toEqual([]);
  const modules = globSync("{libs,services}/*/src/**/scripts.generated.ts", { cwd: root });
  expect(modules.toSorted()).toEqual([...scriptModules(root).keys()].toSorted());
});

test("the generated module contains the text of the file unchanged", async () => {
  await using folder = await scratchFolder();
  const scripts = join(folder.path, "services/gateway/src/limits/scripts");
  const lua =
    '-- Tests `quotes`, \\ and ${braces}.\n--\n-- KEYS[1] key\n-- Reply: text.\n\nlocal key = KEYS[1]\nreturn "\\n" .. key\n';
  mkdirSync(scripts, { recursive: true });
  writeFileSync(join(scripts, "echo-key.lua"), lua);
  const [[path, module] = ["", ""]] = [...scriptModules(folder.path)];
  expect(path).toBe("services/gateway/src/limits/scripts/scripts.generated.ts");
  writeFileSync(join(scripts, "module.mjs"), module.replaceAll(" as const", ""));
  expect(await import(join(scripts, "module.mjs"))).toMatchObject({
    echoKey: { name: "echoKey", keys: ["key"], args: [], lua },
  });
});
