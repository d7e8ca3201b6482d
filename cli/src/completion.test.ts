import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { commands } from "./commands.ts";
import { completionFor, runCompletionCommand, shells } from "./completion.ts";
import { exitCodes } from "./exit-codes.ts";
import { run } from "./run.ts";

const execute = promisify(execFile);

const complete = async (...words: readonly string[]): Promise<string> => {
  const program = `${completionFor("bash", commands)}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})\nCOMP_CWORD=${words.length - 1}\n_postern\necho "\${COMPREPLY[*]}"`;
  return (await execute("bash", ["-c", program])).stdout.trim();
};

test("bash completes commands, actions and options", async () => {
  expect(await complete("postern", "doc")).toBe("doctor");
  expect(await complete("postern", "config", "ch")).toBe("check");
  expect(await complete("postern", "init", "--mail")).toBe("--mail-server");
  expect(await complete("postern", "factors", "re")).toBe("reset");
  expect(await complete("postern", "history", "--li")).toBe("--limit");
  expect(await complete("postern", "status", "--li")).toBe("");
});

test("the completion of every shell names every command and its actions", () => {
  for (const shell of shells) {
    const { exitCode, output } = runCompletionCommand([shell], commands);
    expect(exitCode).toBe(0);
    for (const { name, actions } of commands)
      for (const word of [name, ...actions]) expect(output.join("\n")).toContain(word);
  }
  expect(runCompletionCommand(["tcsh"], commands).exitCode).toBe(2);
});

test.each([
  [["statsu"], '"statsu" (did you mean status?)'],
  [["hsitory", "alice", "--limit", "3"], '"hsitory" (did you mean history?)'],
  [["config", "chekc"], '"config chekc" (did you mean config check?)'],
  [["xyzzyxyzzy"], '"xyzzyxyzzy"'],
])("an unknown command is named, with the nearest one: %j", async (args, named) => {
  const { exitCode, errors } = await run(args);
  expect(exitCode).toBe(2);
  expect(errors[0]).toBe(`postern: unknown command ${named}`);
});

test("the documentation lists every command and the exit codes as the table has them", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/reference/command-line.md"), "utf8");
  for (const { name } of commands) expect(page).toContain(`postern ${name}`);
  for (const [code, meaning] of exitCodes) expect(page).toContain(`| ${code} | ${meaning} |`);
});
