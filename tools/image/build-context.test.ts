import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copiedPaths, isInContext, neededFiles } from "./build-context.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const dockerfile = read("Dockerfile");
const dockerignore = read(".dockerignore");
const entries = [
  "tools/bundle.ts",
  "tools/image-tree.ts",
  "cli/src/main.ts",
  "tools/image/health.ts",
  "tools/setup.sh",
];
const needed = neededFiles(root, [...entries, ...globSync("services/*/src/main.ts", { cwd: root })]);

function missingFrom(text: string): readonly string[] {
  const copied = copiedPaths(text);
  return needed.filter((path) => !copied.some((source) => path === source || path.startsWith(`${source}/`)));
}

test("the build stage copies every file that bundles and the image are made of", () => {
  expect(needed).toEqual(expect.arrayContaining(["LICENSE", "package-lock.json", "tools/bundle/external.ts"]));
  expect(needed.length).toBeGreaterThan(500);
  expect(missingFrom(dockerfile)).toEqual([]);
});

test(".dockerignore excludes none of them, and nothing else that the Dockerfile copies", () => {
  expect([...needed, ...copiedPaths(dockerfile)].filter((path) => !isInContext(dockerignore, path))).toEqual([]);
});

test.each([
  ["LICENSE", (text: string) => text.replace("COPY LICENSE ", "COPY ")],
  ["tools/bundle.ts", (text: string) => text.replace("COPY tools tools\n", "")],
])("a planted fault is found: %s is not copied", (path, damage) => {
  expect(missingFrom(damage(dockerfile))).toContain(path);
});

test.each([
  ["services/idp/src/main.ts", true],
  ["services/idp/src/main.test.ts", false],
  ["services/idp/dist/bundle/main.js", false],
  ["node_modules/pg/package.json", false],
  ["config/example.yaml", false],
])("the build context and %s: %s", (path, isIn) => {
  expect(isInContext(dockerignore, path)).toBe(isIn);
});
