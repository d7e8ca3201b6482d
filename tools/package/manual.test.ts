import { expect, test } from "vitest";
import { commands } from "../../cli/src/commands.ts";
import { exitCodes } from "../../cli/src/exit-codes.ts";
import { run } from "../../cli/src/run.ts";
import { manualPage, roff } from "./manual.ts";

test("the table names every command that postern --help shows", async () => {
  const { output } = await run(["--help"]);
  const shown = output.flatMap((line) => /^ {2}([a-z][a-z-]*)(?: |$)/u.exec(line)?.[1] ?? []);
  expect(new Set(commands.map(({ name }) => name))).toEqual(new Set(shown));
});

test("the manual page shows every command, and no line of it is a command of roff by accident", () => {
  const page = manualPage("1.2.3");
  for (const [code, meaning] of exitCodes) expect(page).toContain(`.TP\n${code}\n${meaning}`);
  for (const { name } of commands) expect(page).toContain(`.SS "postern ${roff(name)}`);
  expect(roff(".start --config\n'quote\\")).toBe("\\&.start \\-\\-config\n\\&'quote\\e");
});
