import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { commandTable } from "../cli/command-table.ts";
import { run } from "../cli/run.ts";
import { bashCompletion } from "./completion.ts";
import { manualPage, roff } from "./manual.ts";

const execute = promisify(execFile);

test("the table names every command that postern --help shows", async () => {
  const { output } = await run(["--help"]);
  const shown = output.flatMap((line) => /^ {2}([a-z]+)(?: |$)/u.exec(line)?.[1] ?? []);
  expect(new Set(commandTable.map(({ name }) => name))).toEqual(new Set(shown));
});

test("the manual page shows every command, and no line of it is a command of roff by accident", () => {
  const page = manualPage("1.2.3");
  for (const { name } of commandTable) expect(page).toContain(`.SS "postern ${name}`);
  expect(roff(".start --config\n'quote\\")).toBe("\\&.start \\-\\-config\n\\&'quote\\e");
});

const complete = async (...words: readonly string[]): Promise<string> => {
  const program = `${bashCompletion()}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})\nCOMP_CWORD=${words.length - 1}\n_postern\necho "\${COMPREPLY[*]}"`;
  return (await execute("bash", ["-c", program])).stdout.trim();
};

test("bash completes commands, actions and options", async () => {
  expect(await complete("postern", "doc")).toBe("doctor");
  expect(await complete("postern", "config", "ch")).toBe("check");
  expect(await complete("postern", "init", "--mail")).toBe("--mail-server");
});
