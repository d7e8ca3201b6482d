import { existsSync } from "node:fs";
import { poll, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { plantMachine } from "../../integration/setup/machine.ts";

const ownPolicy = "#!/bin/sh\n# the site's own\nexit 101";

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 143],
] as const)("%s during an installation restores the policy", async (name, exitCode) => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write("sbin/policy-rc.d", ownPolicy);
  machine.write("apt-hangs", "");
  const { pid, done } = machine.setup("run");
  await poll("apt-get", () => existsSync(machine.path("apt-waits")));
  process.kill(-pid, name);
  expect((await done).code).toBe(exitCode);
  expect(machine.read("sbin/policy-rc.d")).toBe(ownPolicy);
});

test("the next run repairs what a killed installation left behind", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write("sbin/policy-rc.d", ownPolicy);
  machine.write("apt-hangs", "");
  const { pid, done } = machine.setup("run");
  await poll("apt-get", () => existsSync(machine.path("apt-waits")));
  process.kill(-pid, "SIGKILL");
  await done;
  expect(machine.read("sbin/policy-rc.d")).not.toBe(ownPolicy);
  await machine.setup("packages").done;
  expect(machine.read("sbin/policy-rc.d")).toBe(ownPolicy);
});
