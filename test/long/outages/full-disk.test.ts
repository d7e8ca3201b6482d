import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { basicAuth, startStack } from "../../support/stack.ts";
import { startOnSmallDisk } from "./small-disk.ts";

const failures = 5;

test("Redis cannot write its file: users sign in, bans hold and are made, and Redis is used again once there is space", async () => {
  await using folder = await scratchFolder();
  const port = await freePort();
  const options = `--port ${port} --bind 127.0.0.1 --save '' --appendonly yes --dir '${folder.path}'`;
  await using redis = await startOnSmallDisk({
    folder: folder.path,
    megabytes: 8,
    command: `exec redis-server ${options}`,
    port,
  });
  await using stack = await startStack({
    engines: 2,
    services: ["admin"],
    settings: {
      runtime: { timeouts: { decision: "60s" } },
      storage: { redis: { primary: { address: `127.0.0.1:${port}` } } },
      auth: {
        controls: {
          enabled: ["brute_force"],
          brute_force: {
            buckets: [{ name: "net", period: "1h", ban_time: "1h", cidr: 24, failed_requests: failures, ipv4: true }],
            without_redis: { timeout: "250ms", retry_interval: "100ms" },
            account_delay: { enabled: false },
          },
        },
      },
    },
  });
  const ask = async (clientIp: string, password: string = alice.password): Promise<number> =>
    (await askJson(stack.url, { ...alice, password, client_ip: clientIp })).status;
  const guess = async (network: string): Promise<void> => {
    for (let index = 1; index <= 2 * failures; index += 1) await ask(`${network}.1`, `wrong-${index}`);
  };
  const statuses = async (network: string): Promise<ReadonlySet<number>> =>
    new Set(await Promise.all(Array.from({ length: 10 }, (_, index) => ask(`${network}.${index + 1}`))));
  const isListed = async (network: string): Promise<boolean> => {
    const response = await fetch(`${stack.url}/api/v1/bruteforce/list`, { headers: { authorization: basicAuth } });
    return (await response.text()).includes(`${network}.0/24`);
  };
  const write = async (): Promise<string> =>
    (await promisify(execFile)("redis-cli", ["-p", String(port), "set", "probe", "x".repeat(1000)])).stdout;

  await guess("203.0.113");
  await poll("the ban in Redis", () => isListed("203.0.113"));
  await redis.fill();
  await poll("Redis to refuse writes", async () => (await write()).includes("MISCONF"), 60_000);

  expect(await statuses("198.51.100")).toEqual(new Set([200]));
  expect(await statuses("203.0.113")).toEqual(new Set([403]));
  await guess("192.0.2");
  // Each engine counts on its own, and each has seen enough of the guesses.
  await guess("192.0.2");
  expect(await statuses("192.0.2")).toEqual(new Set([403]));

  await redis.empty();
  await poll("Redis to accept writes", async () => (await write()).includes("OK"), 60_000);
  await poll(
    "a new ban in Redis",
    async () => {
      await guess("198.18.0");
      return isListed("198.18.0");
    },
    60_000,
  );
  expect(await statuses("198.51.100")).toEqual(new Set([200]));
});

const main = fileURLToPath(new URL("../../../services/gateway/dist/bundle/main.js", import.meta.url));

test("a gateway cannot write its log: decisions continue, and the lines are written once there is space", async () => {
  await using stack = await startStack();
  await using folder = await scratchFolder();
  const [port, privatePort] = [await freePort(), await freePort()];
  const log = join(folder.path, "gateway.log");
  await using gateway = await startOnSmallDisk({
    folder: folder.path,
    megabytes: 1,
    command: `exec '${process.execPath}' '${main}' --config '${stack.configFile}' >>'${log}' 2>&1`,
    env: {
      SERVICE_RUNTIME_SERVERS_HTTP_ADDRESS: `127.0.0.1:${port}`,
      SERVICE_RUNTIME_SERVICES_GATEWAY_PRIVATE_ADDRESS: `127.0.0.1:${privatePort}`,
    },
    port: privatePort,
  });
  const url = `http://127.0.0.1:${port}`;
  await poll("the gateway", async () => (await fetch(`http://127.0.0.1:${privatePort}/readyz`)).status === 200);
  const ask = async (): Promise<number> => (await askJson(url, alice)).status;
  expect(await ask()).toBe(200);
  // Opened now, because only a gateway that is running shows the path.
  await using file = await open(join(`/proc/${gateway.pid}/root`, log));
  const written = async (): Promise<string> => {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1024 * 1024), position: 0 });
    return buffer.toString("utf8", 0, bytesRead);
  };
  await gateway.fill();
  for (let index = 0; index < 50; index += 1) expect(await ask()).toBe(200);
  expect((await askJson(url, { ...alice, password: "wrong" })).status).toBe(403);
  await gateway.empty();
  const decisions = async (): Promise<number> => (await written()).split('"outcome":"ok"').length - 1;
  await poll("the lines that had to wait", async () => (await decisions()) === 51, 60_000);
  expect(await ask()).toBe(200);
  await poll("new lines", async () => (await decisions()) === 52, 60_000);
});
