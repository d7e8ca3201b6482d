import { createLinter, loadTextlintrc } from "textlint";
import { expect, test } from "vitest";
import { bannedIn } from "./banned-in-code.ts";

const linter = createLinter({ descriptor: await loadTextlintrc({ configFilePath: ".textlintrc.json" }) });

/** The problems that `make lint` reports in a file with this text. */
async function problemsOf(name: string, text: string): Promise<readonly string[]> {
  const { messages } = await linter.lintText(text, name);
  return messages.map(({ message }) => message);
}

const page = "# A page\n\nThe engine retries while Redis is unavailable.\n";

test.each([
  ["page.md", page, `${page}\nThe engine is told when Redis is away.\n`, 2],
  [
    "page.md",
    `${page}\nA ban holds even then.\n`,
    `${page}\nA ban has 35 MiB, also after a restart, until the time is up.\n`,
    3,
  ],
  ["document.yaml", "description: Lists bans.\n", "description: The caller is let in at once.\n", 2],
  ["en.ts", 'export const en = { title: "Sign in" };\n', 'export const en = { title: "Nobody is signed in" };\n', 1],
])("%s: banned phrases are reported, and a plain sentence is not", async (name, plain, breach, problems) => {
  expect(await problemsOf(name, plain)).toEqual([]);
  expect(await problemsOf(name, breach)).toHaveLength(problems);
});

test("code in a page may use any word", async () => {
  expect(await problemsOf("page.md", `${page}\n\`nobody\`\n\n\`\`\`sh\necho at once\n\`\`\`\n`)).toEqual([]);
});

test.each([
  ["a comment", "/** Nobody reads it. */\nexport const x = 1;\n", 1],
  ["a comment, across lines", "export const x = 1;\n// The engine is\n// told.\n", 2],
  ["a documentation comment, across lines", "/**\n * The engine is\n * told.\n */\nexport const x = 1;\n", 1],
  ["a test's name", 'test("it answers at once", () => {});\n', 1],
  ["the name of a table test", 'test.each([1])("%s goes on", () => {});\n', 1],
  ["a row of a table test", 'test.each([["Redis is away", 1]])("%s", () => {});\n', 1],
  ["a log message", 'logger.warn({ err }, "refused for good");\n', 1],
  ["an error's message", 'throw new RangeError("the number is none");\n', 1],
  ["an error's detail", "throw new AppError(`CODE`, { detail: `nobody answers ${x}` });\n", 1],
])("code: a banned phrase in %s is reported with its line", (_where, source, line) => {
  expect(bannedIn("planted.ts", source)).toEqual([expect.stringMatching(new RegExp(`^${line}: `))]);
});

test.each([
  ["a comment", "-- Nobody reads it.\nreturn 1\n", 1],
  ["a comment, across lines", "return 1\n-- The engine is\n-- told.\n", 2],
  ["a comment after code", "local x = 1 -- answers at once\n", 1],
  ["a long comment", "--[[ The engine is\ntold. ]]\nreturn 1\n", 1],
])("Lua: a banned phrase in %s is reported with its line", (_where, source, line) => {
  expect(bannedIn("planted.lua", source)).toEqual([expect.stringMatching(new RegExp(`^${line}: `))]);
});

test("Lua: strings may use any word", () => {
  const source = `local x = "-- nobody \\" -- nobody" .. '-- nobody' .. [[ -- nobody ]] -- a plain comment\n`;
  expect(bannedIn("plain.lua", source)).toEqual([]);
});

test("code: plain prose, code marks, identifiers and other strings are not reported", () => {
  const source = `
    // The user \`nobody\` runs at most once.
    const nobody = "at once";
    test("the engine retries", () => reply.send({ error: "told at once" }));
  `;
  expect(bannedIn("plain.ts", source)).toEqual([]);
});
