import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { run } from "../run.ts";

async function checkedAsJson(tree: object, ...flags: readonly string[]) {
  await using folder = await scratchFolder();
  const file = join(folder.path, "checked.yaml");
  writeFileSync(file, JSON.stringify(tree));
  const { exitCode, output, errors } = await run(["config", "check", "--config", file, "--json", ...flags]);
  expect(errors).toEqual([]);
  return { exitCode, ...JSON.parse(output.join("\n")) };
}

test("--json prints problems and warnings as paths and reasons, with the same exit code", async () => {
  const warned = { runtime: { developer_mode: true } };
  const warning = { path: "runtime.developer_mode", reason: expect.any(String) };
  expect(await checkedAsJson(warned)).toMatchObject({ exitCode: 0, valid: true, problems: [] });
  expect((await checkedAsJson(warned)).warnings).toContainEqual(expect.objectContaining(warning));
  expect(await checkedAsJson(warned, "--strict")).toMatchObject({ exitCode: 1, valid: false, problems: [] });
  expect(await checkedAsJson({ runtime: { instanc_name: "x" } })).toMatchObject({
    exitCode: 1,
    valid: false,
    problems: [{ path: "runtime.instanc_name", reason: "is not a known key", hint: "did you mean instance_name?" }],
  });
});
