// Reports banned phrases in the comments, test names, log and error messages of the code. Usage: tools/prose/check-code.ts
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bannedIn } from "./banned-in-code.ts";

/** All folders with code, and the Lua examples of the others, whose pages `textlint` reads. */
const patterns = ["{cli,libs,services,test,tools,bench}/**/*.{ts,lua}", "{config,deploy,docs}/**/*.lua"];

/** Build output, and the test that plants banned phrases. */
const exclude = ["**/node_modules/**", "**/dist/**", "tools/prose/prose.test.ts"];

process.chdir(join(import.meta.dirname, "../.."));
const files = globSync(patterns, { exclude });
const problems = files.flatMap((file) =>
  bannedIn(file, readFileSync(file, "utf8")).map((problem) => `${file}:${problem}`),
);
for (const problem of problems) console.log(problem);
console.log(`${files.length} files read, ${problems.length} banned phrases`);
process.exitCode = problems.length === 0 && files.length > 0 ? 0 : 1;
