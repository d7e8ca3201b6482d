import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { freePort, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { startService, untilReady } from "../../support/service-process.ts";
import { startStack } from "../../support/stack.ts";

test("the services that tests start use compiled code that includes what has run, which Node's own cache lacks", async () => {
  await using own = await scratchFolder();
  await using stack = await startStack({ shape: "five", env: { NODE_DEBUG_NATIVE: "COMPILE_CACHE" } });
  const output = stack.gateway.output();
  const [, stored = ""] = /reading cache from (.+) for ESM .+\/gateway\/dist\/bundle\/main\.js/u.exec(output) ?? [];
  expect(output).toMatch(/ESM .+\/gateway\/dist\/bundle\/main\.js was accepted/u);
  const other = await startService("gateway", {
    configFile: stack.configFile,
    privatePort: await freePort(),
    env: { NODE_COMPILE_CACHE: own.path, SERVICE_RUNTIME_SERVERS_HTTP_ADDRESS: `127.0.0.1:${await freePort()}` },
  });
  await untilReady(other);
  // Node writes its files when a process ends.
  await other.stop();
  const nodes = join(own.path, basename(dirname(stored)), basename(stored));
  expect(statSync(stored).size).toBeGreaterThan(1.2 * statSync(nodes).size);
});
