import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scratchFolder } from "@postern/testing";
import { expect, it } from "vitest";
import { undiciModule } from "./undici-module.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const report = `
for (const Class of [Agent, BalancedPool, Client, Pool]) if (!(Class.prototype instanceof Dispatcher)) throw new Error(Class.name);
const methods = ["connect", "pipeline", "request", "stream", "upgrade"].map((name) => typeof Client.prototype[name]);
console.log(...new Set(methods), new Agent() instanceof Agent, process.moduleLoadList.some((name) => name.includes("undici")));`;

function run(folder: string, from: string): string {
  const file = join(folder, "main.mjs");
  writeFileSync(
    file,
    `import { Agent, BalancedPool, Client, Dispatcher, Pool } from ${JSON.stringify(from)};\n${report}`,
  );
  return execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
}

it("has clients with the methods of undici's, without loading Node's copy", async () => {
  await using folder = await scratchFolder();
  writeFileSync(join(folder.path, "undici.mjs"), undiciModule(root));
  expect(run(folder.path, "./undici.mjs")).toBe("function true false");
});

it("is needed as long as undici's index loads Node's copy", async () => {
  await using folder = await scratchFolder();
  expect(run(folder.path, join(root, "node_modules/undici/index.js"))).toBe("function true true");
});
