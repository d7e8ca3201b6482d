import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../run.ts";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
const at = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  folder = await scratchFolder();
});

afterAll(() => folder[Symbol.asyncDispose]());

/** Files that are missing: the gateway's certificate and a hook of admin. */
const tree = () => ({
  runtime: { servers: { http: { tls: { enabled: true, cert: at("no.pem"), key: at("no.key") } } } },
  auth: { controls: { enabled: ["lua"], lua: { hooks: [{ http_location: "a", script_path: at("no.lua") }] } } },
});

async function check(config: object, ...services: readonly string[]) {
  const file = at("checked.yaml");
  writeFileSync(file, JSON.stringify(config));
  const flags = services.flatMap((name) => ["--service", name]);
  const { exitCode, errors } = await run(["config", "check", "--config", file, ...flags]);
  return { exitCode, text: errors.join("\n") };
}

test("a problem that only some services have names them", async () => {
  const { exitCode, text } = await check(tree());
  expect(exitCode).toBe(1);
  expect(text).toMatch(/tls\.cert: .*\(used only by gateway\)$/m);
  expect(text).toMatch(/hooks\[0\]\.script_path: .*\(used only by admin\)$/m);
  const ofAll = await check({ runtime: { bus: { credentials_file: at("no.creds") } } });
  expect(ofAll.text).toMatch(/^runtime\.bus\.credentials_file: /m);
  expect(ofAll.text).not.toContain("used only by");
});

test("--service opens only what that service opens", async () => {
  const { exitCode, text } = await check(tree(), "gateway");
  expect(exitCode).toBe(1);
  expect(text).toMatch(/tls\.cert: /);
  expect(text).not.toMatch(/used only by|script_path/);
  expect((await check(tree(), "jobs-worker")).exitCode).toBe(0);
});

test("--service can be repeated", async () => {
  expect((await check(tree(), "gateway", "admin")).text).toBe((await check(tree())).text);
});

test("an unknown service is a wrong command line", async () => {
  expect(await check(tree(), "gateway", "gatway")).toEqual({
    exitCode: 2,
    text: 'no service "gatway": gateway, auth-engine, idp, admin, jobs-worker',
  });
});
