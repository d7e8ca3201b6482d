import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, pause, poll, scratchFolder, spawnNginx, startChildServer } from "@postern/testing";
import { expect, test } from "vitest";
import { startStack } from "../../support/stack.ts";
import { showFigures } from "./figures.ts";

const shipped = fileURLToPath(new URL("../../../deploy/nginx/", import.meta.url));

test("one of two gateways behind nginx is frozen: check-gateways.sh leaves it out, and takes it back", async () => {
  await using folder = await scratchFolder();
  await using stack = await startStack({
    settings: { runtime: { servers: { http: { trusted_proxies: ["127.0.0.1"] } } } },
  });
  const second = await stack.startReplica("gateway");
  const [one, other] = [new URL(stack.url).host, new URL(second.url).host];
  const servers = join(folder.path, "backchannel.servers");
  const list = await readFile(join(shipped, "backchannel.servers"), "utf8");
  await writeFile(servers, list.replaceAll("192.0.2.11:9080", one).replaceAll("192.0.2.12:9080", other));
  const port = await freePort();
  // The file stands in place of the upstream's servers, as in reverse-proxies.md. Nothing but the checks can end what a frozen gateway holds.
  const config = (await readFile(join(shipped, "pages.conf"), "utf8"))
    .replace(/upstream postern_pages \{[\s\S]*?(?=upstream postern_backchannel)/, "")
    .replace(/^ +server 192\.0\.2\.1[12]:9080.*\n/gm, "")
    .replace("least_conn;", `least_conn;\n include ${servers};`)
    .replace("proxy_read_timeout    15s", "proxy_read_timeout    900s")
    .replace("listen 9080", `listen 127.0.0.1:${port}`);
  await using nginx = await spawnNginx({ config, port, hasMaster: true });
  await using checks = await startChildServer({
    command: join(shipped, "check-gateways.sh"),
    args: [servers],
    env: { RELOAD: `kill -HUP ${nginx.pid}` },
  });
  /** 0 without a response in time: a frozen gateway holds what it gets. */
  const ask = (): Promise<number> =>
    fetch(`http://127.0.0.1:${port}/ping`, { signal: AbortSignal.timeout(5000) }).then(
      ({ status }) => status,
      () => 0,
    );
  const leftOut = async (): Promise<readonly string[]> =>
    (await readFile(servers, "utf8")).split("\n").filter((line) => line.includes(" down;"));
  const many = (): Promise<readonly number[]> => Promise.all(Array.from({ length: 12 }, ask));
  const all200 = Array.from({ length: 12 }, () => 200);
  expect(await many()).toEqual(all200);
  expect(await leftOut()).toEqual([]);

  const frozenAt = performance.now();
  await pause(second.process);
  await poll("nginx to have reloaded", () => /servers changed: server .* down;/.test(checks.output()), 60_000);
  showFigures("nginx, frozen gateway", { "left out after ms": performance.now() - frozenAt });
  expect(await leftOut()).toEqual([expect.stringContaining(`server ${other} `)]);
  // The old worker may still accept a connection, and then holds it.
  await expect.poll(many, { timeout: 60_000 }).toEqual(all200);

  second.process.signal("SIGCONT");
  await poll("the gateway to be back", async () => (await leftOut()).length === 0, 60_000);
  expect(await many()).toEqual(all200);
}, 180_000);
