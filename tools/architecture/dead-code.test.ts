import { scratchFolder } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { plantFiles, runIn } from "./run-in.ts";

const service = {
  "services/gateway/package.json": '{ "name": "@postern/gateway", "dependencies": { "fastify": "*" } }\n',
  "services/gateway/src/main.ts": 'import { used } from "./part.ts";\nused();\n',
};

test("an unused export, an unused file, an unlisted and an unused dependency are rejected", async () => {
  await using root = await scratchFolder();
  plantFiles(root.path, ["knip.json", "package.json", "tsconfig.json"], {
    ...service,
    "services/gateway/src/part.ts":
      'import { parse } from "left-pad";\nexport const used = (): unknown => parse("");\nexport const unused = 1;\n',
    "services/gateway/src/orphan.ts": "export const x = 1;\n",
  });
  const lines = runIn(root.path, "knip", "--no-progress", "--reporter=compact").split("\n");
  const says = (...words: readonly string[]): boolean =>
    lines.some((line) => words.every((word) => line.includes(word)));
  expect(says("services/gateway/src/part.ts", "unused")).toBe(true);
  expect(says("services/gateway/src/orphan.ts")).toBe(true);
  expect(says("services/gateway/src/part.ts", "left-pad")).toBe(true);
  expect(says("services/gateway/package.json", "fastify")).toBe(true);
});

test("a service without such faults is not named", async () => {
  await using root = await scratchFolder();
  plantFiles(root.path, ["knip.json", "package.json", "tsconfig.json"], {
    ...service,
    "services/gateway/src/part.ts":
      'import { fastify } from "fastify";\nexport const used = (): unknown => fastify();\n',
  });
  expect(runIn(root.path, "knip", "--no-progress", "--reporter=compact")).not.toContain("services/gateway");
});
