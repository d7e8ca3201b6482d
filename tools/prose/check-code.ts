// Reports banned phrases in the comments, test names, log and error messages of clean folders. Usage: tools/prose/check-code.ts
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
  "test/integration/gateway",
  "test/integration/grpc",
  "test/integration/brute-force",
  "test/integration/callers",
  "test/integration/admin",
  "test/integration/bus",
  "test/integration/cli",
  "test/integration/config",
  "test/integration/directory-test",
  "test/integration/engines",
  "test/integration/interop",
  "test/integration/ldap",
  "test/integration/list-accounts",
  "test/integration/openapi",
  "test/integration/policy",
  "test/integration/redis",
  "test/integration/result-cache",
  "test/integration/run",
  "test/integration/scripts",
  "test/integration/services",
  "test/integration/setup",
  "test/integration/sql",
];

/** Build output, and the test that plants banned phrases. */
const exclude = ["**/node_modules/**", "**/dist/**", "tools/prose/prose.test.ts"];

process.chdir(join(import.meta.dirname, "../.."));
const files = globSync(
  cleanFolders.map((folder) => `${folder}/**/*.ts`),
  { exclude },
);
const problems = files.flatMap((file) =>
  bannedIn(file, readFileSync(file, "utf8")).map((problem) => `${file}:${problem}`),
);
for (const problem of problems) console.log(problem);
console.log(`${files.length} files read, ${problems.length} banned phrases`);
process.exitCode = problems.length === 0 && files.length > 0 ? 0 : 1;
