// Reports banned phrases in the comments, test names, log and error messages of clean folders, and in comments of Lua scripts. Usage: tools/prose/check-code.ts
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bannedIn } from "./banned-in-code.ts";

/** Folders without banned phrases. Add a folder once it is clean; never remove one. */
const cleanFolders = [
  "libs",
  "services/gateway",
  "services/auth-engine",
  "services/admin",
  "services/jobs-worker",
  "tools",
  "bench",
  "services/idp",
  "test/integration/idp",
  "test/integration/oidc",
  "test/integration/saml",
  "test/support",
  "test/long",
  "test/corpora",
];

/** Folders of which only the Lua examples are checked here; `textlint` reads their pages. */
const luaFolders = ["config", "deploy", "docs"];

/** Build output, and the test that plants banned phrases. */
const exclude = ["**/node_modules/**", "**/dist/**", "tools/prose/prose.test.ts"];

process.chdir(join(import.meta.dirname, "../.."));
const files = globSync(
  [...cleanFolders.map((folder) => `${folder}/**/*.{ts,lua}`), ...luaFolders.map((folder) => `${folder}/**/*.lua`)],
  { exclude },
);
const problems = files.flatMap((file) =>
  bannedIn(file, readFileSync(file, "utf8")).map((problem) => `${file}:${problem}`),
);
for (const problem of problems) console.log(problem);
console.log(`${files.length} files read, ${problems.length} banned phrases`);
process.exitCode = problems.length === 0 && files.length > 0 ? 0 : 1;
