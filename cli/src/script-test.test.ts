import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { describe, expect, test } from "vitest";
import { runScriptCommand } from "./script-test.ts";

const guides = join(import.meta.dirname, "../../docs/operate/scripts");
const examples = (await readdir(join(guides, "examples"))).filter((name) => name.endsWith(".lua"));

describe("the examples of the guides do what their inputs expect", () => {
  test.each(examples)("%s", async (name) => {
    const script = join(guides, "examples", name);
    const result = await runScriptCommand(["test", script, "--input", script.replace(/\.lua$/, ".json")]);
    expect(result).toMatchObject({ exitCode: 0 });
  });
});

const page = await readFile(join(guides, "modules.md"), "utf8");
const modules = [...page.matchAll(/^## (\S+)$.*?```lua\n(.*?)```\n\n```json\n(.*?)```/gms)];

describe("the example of each module does what its page says", () => {
  test.each(modules.map(([, name = "", lua = "", input = ""]) => [name, lua, input]))(
    "%s",
    async (_name, lua, input) => {
      await using folder = await scratchFolder();
      const script = join(folder.path, "example.lua");
      const request = join(folder.path, "example.json");
      await writeFile(script, lua);
      await writeFile(request, JSON.stringify({ entry: "example", ...JSON.parse(input) }));
      expect(await runScriptCommand(["test", script, "--input", request])).toMatchObject({ exitCode: 0 });
    },
  );
});

async function inFolder(source: string, input: object) {
  await using folder = await scratchFolder();
  const script = join(folder.path, "site.lua");
  const request = join(folder.path, "request.json");
  await writeFile(script, source);
  await writeFile(request, JSON.stringify(input));
  return await runScriptCommand(["test", script, "--input", request]);
}

test("a result that differs from the expected one ends with 1, and both are printed", async () => {
  const { exitCode, output, errors } = await inFolder("function hook() return 1 end", { entry: "hook", expect: 2 });
  expect([exitCode, output, errors]).toEqual([1, ["1"], ["expected 2"]]);
});

test("an error contains file and line, and log lines go to standard error", async () => {
  const source = 'local log = require("log")\nfunction hook() log.info("here")\nerror("no") end';
  const { exitCode, errors } = await inFolder(source, { entry: "hook" });
  expect(exitCode).toBe(1);
  expect(errors.join("\n")).toContain("site.lua:3: no");
});

test("a call that is not the next recorded one is an error", async () => {
  const source = 'local dns = require("dns") function hook() return dns.reverse("192.0.2.1") end';
  const { errors } = await inFolder(source, { entry: "hook", answers: [{ call: "http.request", result: {} }] });
  expect(errors.join("\n")).toContain("the next recorded answer is for");
});

test.each([[[]], [["test"]], [["test", "a.lua"]], [["run", "a.lua", "--input", "x"]]])(
  "a wrong command line ends with 2: %j",
  async (args) => {
    expect((await runScriptCommand(args)).exitCode).toBe(2);
  },
);
