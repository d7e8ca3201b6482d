import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { bundleProgram } from "./bundle-service.ts";

test("an import with ?raw puts the text of a file into the bundle, which names its package and does not run it", async () => {
  await using folder = await scratchFolder();
  const shown = join(folder.path, "node_modules/shown");
  mkdirSync(shown, { recursive: true });
  // Run, or reviewed as code, it would fail the build.
  const text = 'throw new Error("run in " + import.meta.url + "ä`${1}");\n';
  writeFileSync(join(shown, "package.json"), '{ "name": "shown", "version": "1.0.0" }');
  writeFileSync(join(shown, "file.js"), text);
  writeFileSync(join(folder.path, "main.ts"), 'import text from "shown/file.js?raw";\nexport const shown = text;\n');
  await bundleProgram(folder.path, { entry: "main.ts", folder: "out" });
  expect(await import(pathToFileURL(join(folder.path, "out/main.js")).href)).toMatchObject({ shown: text });
});
