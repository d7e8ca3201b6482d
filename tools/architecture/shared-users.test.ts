import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchFolder } from "@postern/shared/testing";
import { describe, expect, test } from "vitest";
import { reviewed, sharedUsers, usedByOne } from "./shared-users.ts";

const repository = join(import.meta.dirname, "../..");

/** A library in which only one service uses `own.ts`, and both use the rest. */
const tree: Readonly<Record<string, string>> = {
  "libs/shared/src/domain/parts/index.ts": `export { own } from "./own.ts";
export { both, type Both } from "./both.ts";
`,
  "libs/shared/src/domain/parts/own.ts": `import { inner } from "./inner.ts";\nexport const own = inner;\n`,
  "libs/shared/src/domain/parts/inner.ts": "export const inner = 1;\n",
  "libs/shared/src/domain/parts/both.ts": `import { deep } from "../../platform/deep/index.ts";
export const both = deep;
export type Both = typeof both;
`,
  "libs/shared/src/platform/deep/index.ts": `export { deep } from "./deep.ts";\n`,
  "libs/shared/src/platform/deep/deep.ts": "export const deep = 1;\n",
  "services/admin/src/main.ts": `import {
  both,
  own,
} from "@postern/shared/domain/parts";
console.log(both, own);
`,
  "services/idp/src/main.ts": `import type { Both } from "@postern/shared/domain/parts";\nexport type Mine = Both;\n`,
};

async function usedByOneIn(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using house = await scratchFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(house.path, path)), { recursive: true });
    writeFileSync(join(house.path, path), text);
  }
  return usedByOne(house.path, {});
}

describe("modules of the shared library", () => {
  test("a module that only one service uses is reported, with the modules that only it uses", async () => {
    expect(await usedByOneIn(tree)).toEqual([
      "libs/shared/src/domain/parts/inner.ts: admin",
      "libs/shared/src/domain/parts/own.ts: admin",
    ]);
  });

  test("a test does not count as a second user, another service does", async () => {
    const uses = `import { own } from "@postern/shared/domain/parts";\nconsole.log(own);\n`;
    expect(await usedByOneIn({ ...tree, "services/idp/src/a.test.ts": uses })).toHaveLength(2);
    expect(await usedByOneIn({ ...tree, "services/idp/src/a.ts": uses })).toEqual([]);
  });

  test("a module that only the tools use is reported too", async () => {
    const uses = `import { lone } from "@postern/shared/platform/lone";\nconsole.log(lone);\n`;
    const lone = {
      "libs/shared/src/platform/lone/index.ts": `export { lone } from "./lone.ts";\n`,
      "libs/shared/src/platform/lone/lone.ts": "export const lone = 1;\n",
    };
    expect(await usedByOneIn({ ...lone, "tools/cli/run.ts": uses, "bench/run.ts": uses })).toEqual([
      "libs/shared/src/platform/lone/lone.ts: tools",
    ]);
    expect(await usedByOneIn(lone)).toEqual(["libs/shared/src/platform/lone/lone.ts: nobody"]);
  });

  test("each module is used by at least two services or was reviewed", () => {
    expect(usedByOne(repository)).toEqual([]);
  });

  test("each reviewed module exists and is used by only one service", () => {
    const users = sharedUsers(repository);
    expect(users.size).toBeGreaterThan(250);
    expect(Object.keys(reviewed).filter((path) => users.get(path)?.size !== 1)).toEqual([]);
  });
});
