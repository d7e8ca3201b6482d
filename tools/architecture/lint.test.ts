import { scratchFolder } from "@postern/shared/testing";
import { expect, test } from "vitest";
import { plantFiles, runIn } from "./run-in.ts";

const folder = "services/gateway/src";
const comments = (count: number): string => "// x\n".repeat(count);
const functionOf = (lines: number): string => `export function f(): void {\n${comments(lines - 2)}}\n`;
const fileOf = (lines: number): string => `${comments(lines - 1)}export const here = 1;\n`;

/** Rule, file, its text. */
const refused: readonly (readonly [string, string, string])[] = [
  ["no-floating-promises", `${folder}/floating.ts`, "const f = async (): Promise<void> => {};\nf();\nexport {};\n"],
  ["no-explicit-any", `${folder}/any.ts`, "export const f = (value: any): unknown => value;\n"],
  ["no-unsafe-type-assertion", `${folder}/as.ts`, "export const f = (value: unknown): string => value as string;\n"],
  ["no-non-null-assertion", `${folder}/bang.ts`, "export const f = (value?: string): string => value!;\n"],
  ["max-lines-per-function", `${folder}/long-function.ts`, functionOf(61)],
  ["max-lines", `${folder}/long-file.ts`, fileOf(301)],
  ["no-process-env", `${folder}/environment.ts`, 'export const f = (): unknown => process.env["HOME"];\n'],
  ["no-restricted-properties", `${folder}/time.ts`, "export const f = (): number => Date.now();\n"],
  ["no-console", `${folder}/print.ts`, 'export const f = (): void => console.log("x");\n'],
  ["no-default-export", `${folder}/default.ts`, "export default 1;\n"],
  ["filename-case", `${folder}/camelCase.ts`, "export const x = 1;\n"],
  ["id-denylist", `${folder}/variable.ts`, "const asked = Math.random();\nexport const x = 2 * asked;\n"],
  ["id-denylist", `${folder}/parameter.ts`, "export const f = (given: number): number => 2 * given;\n"],
  ["id-denylist", `${folder}/property.ts`, "export interface X {\n  readonly most: number;\n}\n"],
  [
    "no-focused-tests",
    `${folder}/only.test.ts`,
    'import { expect, test } from "vitest";\ntest.only("x", () => expect(1).toBe(1));\n',
  ],
  [
    "no-disabled-tests",
    `${folder}/skip.test.ts`,
    'import { expect, test } from "vitest";\ntest.skip("x", () => expect(1).toBe(1));\n',
  ],
];

const allowed: Readonly<Record<string, string>> = {
  [`${folder}/function-of-60.ts`]: functionOf(60),
  [`${folder}/file-of-300.ts`]: fileOf(300),
  "libs/shared/src/platform/config/environment.ts": 'export const f = (): unknown => process.env["HOME"];\n',
  "libs/shared/src/platform/time/clock.ts": "export const f = (): number => Date.now();\n",
  "tools/print.ts": 'console.log(process.env["HOME"], Date.now());\n',
};

test("each planted fault is rejected by its rule, and permitted code is not", async () => {
  await using root = await scratchFolder();
  const planted = Object.fromEntries(refused.map(([, file, text]) => [file, text]));
  plantFiles(root.path, [".oxlintrc.json", "tsconfig.json"], { ...planted, ...allowed });
  const lines = runIn(
    root.path,
    "oxlint",
    "--type-aware",
    "--deny-warnings",
    "--format=unix",
    "services",
    "libs",
    "tools",
  ).split("\n");
  const missed = refused.filter(
    ([rule, file]) => !lines.some((line) => line.includes(`${file}:`) && line.includes(`(${rule})`)),
  );
  expect(missed.map(([rule]) => rule)).toEqual([]);
  expect(lines.filter((line) => Object.keys(allowed).some((file) => line.includes(`${file}:`)))).toEqual([]);
});
