import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { compileCache, type ServiceName } from "../../support/service-process.ts";
import { demoBackends } from "../../support/stack-config.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

function run(program: string, args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, program, "dist/bundle/main.js"), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...compileCache },
  });
  return { status, stderr };
}

async function withoutNats(use: (file: string) => void): Promise<void> {
  await using folder = await scratchFolder();
  const file = join(folder.path, "config.yaml");
  writeFileSync(
    file,
    JSON.stringify({ runtime: { bus: { servers: [] } }, auth: { backends: demoBackends(folder.path) } }),
  );
  use(file);
}

const sentence = "without NATS, run the services in one process (postern serve)";

test.each<ServiceName>(["gateway", "auth-engine", "idp", "admin", "jobs-worker"])(
  "%s alone refuses to start without NATS, and says what to do",
  async (name) => {
    await withoutNats((file) => {
      const { status, stderr } = run(`services/${name}`, ["--config", file]);
      expect(stderr).toContain(sentence);
      expect(status).toBe(78);
    });
  },
);

test("services without an engine refuse it too", async () => {
  await withoutNats((file) => {
    const { status, stderr } = run("cli", ["serve", "--services", "gateway,idp", "--config", file]);
    expect(stderr).toContain(sentence);
    expect(status).toBe(78);
  });
});

test.each([
  ["gateway,enigne", 'there is no service "enigne"'],
  [",", "--services names no service"],
])("services that cannot be run are refused: %s", (services, message) => {
  const { status, stderr } = run("cli", ["serve", "--services", services]);
  expect(stderr).toContain(message);
  expect(status).toBe(2);
});
