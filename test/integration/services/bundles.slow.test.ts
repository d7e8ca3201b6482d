import { execFile } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeProgram } from "../../../tools/package/application.ts";
import { accountsBackends, writeUsers } from "../../support/accounts-database.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

/** An example hash of crypt: it is verified in a thread, whose file the bundle must have in the right place. */
const sha512OfSecret =
  "$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN.Pq.H91p5hVO1";

beforeAll(async () => {
  const services = ["idp", "admin", "jobs-worker"] as const;
  stack = await startStack({
    shape: "five",
    redis: true,
    services,
    backends: (folder) => {
      const file = join(folder, "accounts.sqlite");
      writeUsers(file, [[alice.username, sha512OfSecret]]);
      return accountsBackends(file);
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

test("every service runs from its bundle and is ready", async () => {
  const running = [stack.gateway, ...stack.engines, ...stack.services.values()];
  const names = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"];
  const commands = running.map(({ process: { pid } }) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  for (const name of names) expect(commands.join("\n")).toContain(`services/${name}/dist/bundle/main.js`);
  expect(await Promise.all(running.map((service) => service.readiness()))).toEqual(running.map(() => 200));
});

test("a decision is made, with a password verified in a thread of the bundle", async () => {
  expect((await askJson(stack.url, { ...alice, password: "secret" })).status).toBe(200);
  expect((await askJson(stack.url, { ...alice, password: "guess" })).status).toBe(403);
});

const root = join(import.meta.dirname, "../../..");

test("the command line of packages and images is one bundle", async () => {
  mkdirSync(join(root, ".run"), { recursive: true });
  // Below the repository, where it finds the packages that are not bundled.
  using folder = mkdtempDisposableSync(join(root, ".run/program-"));
  await writeProgram(root, "cli/src/main.ts", folder.path);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder.path, "main.js"), "help"]);
  expect(stdout).toContain("usage: postern COMMAND");
});
