import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { version } from "@postern/shared/platform/lifecycle";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { run } from "./run.ts";

const demo = join(import.meta.dirname, "../../config/demo.yaml");

test("check reports a valid file", async () => {
  expect(await run(["config", "check", "--config", demo])).toMatchObject({
    exitCode: 0,
    output: ["the configuration is valid"],
  });
});

test("check reports every problem on standard error and ends with 1", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "bad.yaml");
  await writeFile(file, "runtime: { instanc_name: x, developer_mode: perhaps }");
  const { exitCode, errors } = await run(["config", "check", "--config", file]);
  expect(exitCode).toBe(1);
  expect(errors).toContain("runtime.instanc_name: is not a known key (did you mean instance_name?)");
  expect(errors).toContain("runtime.developer_mode: must be true or false");
});

test("check needs no secret files if requested", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "secret.yaml");
  await writeFile(file, "storage: { redis: { password_nonce: { file: /nonexistent/secret } } }");
  expect((await run(["config", "check", "--config", file])).exitCode).toBe(1);
  expect((await run(["config", "check", "--config", file, "--no-secrets"])).exitCode).toBe(0);
});

test("dump shows the effective configuration, sorted and without secrets", async () => {
  const { output } = await run(["config", "dump", "--config", demo]);
  expect(output).toContain('auth.backchannel.basic_auth.password = "***REDACTED***"');
  expect(output.join("\n")).not.toContain("demo-backchannel-secret");
  expect(output).toEqual(output.toSorted());
});

test("explain shows the source of a value", async () => {
  const { exitCode, output } = await run(["config", "explain", "storage.redis.roles.state.url", "--config", demo]);
  expect(exitCode).toBe(0);
  expect(output).toContain("  source       derived storage.redis.primary.address");
});

async function explained(key: string): Promise<unknown> {
  const { output } = await run(["config", "explain", key, "--config", demo, "--json"]);
  return JSON.parse(output.join("\n"));
}

test("explain prints the same as JSON, and no secret", async () => {
  expect(await explained("storage.redis.roles.state.url")).toMatchObject({
    kind: "key",
    path: "storage.redis.roles.state.url",
    source: { kind: "derived", name: "storage.redis.primary.address" },
  });
  const secret = await explained("auth.backchannel.basic_auth.password");
  expect(secret).toMatchObject({ secret: true });
  expect(JSON.stringify(secret)).not.toContain("demo-backchannel-secret");
});

test("explain ends with 1 for a key that does not exist", async () => {
  expect(await run(["config", "explain", "runtime.timeouts.decison"])).toMatchObject({
    exitCode: 1,
    errors: ["runtime.timeouts.decison: is not a known key (did you mean runtime.timeouts.decision?)"],
  });
});

test("docs and schema print the reference", async () => {
  expect((await run(["config", "docs"])).output.join("")).toContain("SERVICE_RUNTIME_TIMEOUTS_DECISION");
  expect(JSON.parse((await run(["config", "schema"])).output.join(""))).toMatchObject({
    title: "Postern configuration",
  });
});

test.each([[[]], [["config"]], [["config", "chek"]], [["config", "check", "--wrong"]], [["config", "explain"]]])(
  "a wrong command line ends with 2: %j",
  async (args) => {
    expect((await run(args)).exitCode).toBe(2);
  },
);

test.each([
  [["foo"], 'unknown command "foo"'],
  [["flsh"], 'unknown command "flsh" (did you mean flush?)'],
  [["config", "chek"], 'unknown command "config chek" (did you mean config check?)'],
])("an unknown command is named, with the nearest one: %j", async (args, expected) => {
  expect((await run(args)).errors).toContain(`postern: ${expected}`);
});

test("help and the version are found by the words that people type", async () => {
  expect(await run(["help"])).toEqual(await run(["--help"]));
  expect(await run(["help", "why"])).toEqual(await run(["why", "--help"]));
  expect(await run(["help", "whi"])).toMatchObject({
    exitCode: 2,
    errors: [expect.stringContaining("did you mean why?"), expect.anything()],
  });
  for (const words of [["--version"], ["version"]])
    expect(await run(words)).toEqual({ exitCode: 0, output: [`postern ${version}`], errors: [] });
});
