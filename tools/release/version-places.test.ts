import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { versionPlaces, versionsIn, withVersion } from "./version-places.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const { version, workspaces } = JSON.parse(read("package.json"));

test.each(versionPlaces)("$file names the version of package.json, and no other", (place) => {
  expect([...new Set(versionsIn(read(place.file), place))]).toEqual([version]);
});

test("the list contains every file that repeats the version", () => {
  const listed = new Set(versionPlaces.map(({ file }) => file));
  const named = globSync(["*", "k8s/**/*.yaml", "deploy/**/*", "libs/*/package.json", "services/*/package.json"], {
    cwd: root,
  });
  const candidates = named.filter((file) => /\.(?:ya?ml|json)$|Dockerfile$/u.test(file));
  const form = new RegExp(`postern[:"/@][^\\n]*\\b${version.replaceAll(".", String.raw`\.`)}\\b`, "u");
  expect(candidates.filter((file) => form.test(read(file)) && !listed.has(file))).toEqual([]);
  expect(workspaces.filter((folder: string) => !listed.has(`${folder}/package.json`))).toEqual([]);
});

test.each(versionPlaces)("a new version is written to $file, and only its version changes", (place) => {
  const text = read(place.file);
  const changed = withVersion(text, place, "98.7.6");
  expect([...new Set(versionsIn(changed, place))]).toEqual(["98.7.6"]);
  expect(withVersion(changed, place, version)).toBe(text);
});

test("the changelog has a section for the version, and begins with one for what follows", () => {
  const titles = [...read("CHANGELOG.md").matchAll(/^## \[([^\]]+)\]/gmu)].map(([, title]) => title);
  expect(titles.slice(0, 2)).toEqual(["Unreleased", version]);
});
