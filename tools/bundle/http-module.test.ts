import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { expect, it } from "vitest";
import { httpModule } from "./http-module.ts";

const report =
  'console.log(typeof createServer, typeof http.Agent, process.moduleLoadList.some((name) => name.includes("undici")));';

function run(folder: string, from: string): string {
  const file = join(folder, "main.mjs");
  writeFileSync(file, `import http, { createServer } from "${from}";\n${report}`);
  return execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
}

it("exports what node:http exports, without loading undici", async () => {
  await using folder = await scratchFolder();
  writeFileSync(join(folder.path, "http.mjs"), httpModule());
  expect(run(folder.path, "./http.mjs")).toBe("function function false");
});

it("is needed as long as an import of node:http loads undici", async () => {
  await using folder = await scratchFolder();
  expect(run(folder.path, "node:http")).toBe("function function true");
});
