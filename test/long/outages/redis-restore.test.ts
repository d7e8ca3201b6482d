import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type ChildServer, freePort, poll, redisUserRules, scratchFolder, startChildServer } from "@postern/testing";
import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { startOidcStack, testClients } from "../../support/oidc-stack.ts";
import { basicAuth } from "../../support/stack.ts";

const failures = 5;
const page = new URL("../../../docs/operate/redis-backup.md", import.meta.url);

/** The commands of a section, with the paths and the port of this test instead of Debian's. */
async function commandsOf(title: string, folder: string, port: number): Promise<string> {
  const [, section = ""] = (await readFile(page, "utf8")).split(`\n## ${title}\n`);
  const block = /```sh\n([\s\S]*?)```/.exec(section)?.[1];
  if (block === undefined) throw new Error(`the page has no commands below ${title}`);
  return block
    .replaceAll("/var/", `${folder}/var/`)
    .replaceAll("/etc/", `${folder}/etc/`)
    .replaceAll("-p 6379", `-p ${port}`);
}

test("Redis is restored by the documented commands: keys and bans of the backup are back, and later ones are not", async () => {
  await using folder = await scratchFolder();
  const port = await freePort();
  const file = join(folder.path, "etc/redis/redis.conf");
  for (const name of ["var/lib/redis", "var/backups", "etc/redis", "bin"]) {
    await mkdir(join(folder.path, name), { recursive: true });
  }
  const users = redisUserRules().map((words) => `user ${words.join(" ")}`);
  const lines = [`port ${port}`, "bind 127.0.0.1", `dir ${folder.path}/var/lib/redis`, 'save ""', "appendonly yes"];
  lines.push(...users);
  await writeFile(file, `${lines.join("\n")}\n`);
  const start = (): Promise<ChildServer> => startChildServer({ command: "redis-server", args: [file], port });
  let redis = await start();
  await using servers = new AsyncDisposableStack();
  servers.defer(async () => void (await redis.stop()));
  await using oidc = await startOidcStack(
    testClients,
    {},
    {
      engines: 2,
      more: {
        storage: { redis: { primary: { address: `127.0.0.1:${port}` } } },
        auth: {
          controls: {
            enabled: ["brute_force"],
            brute_force: {
              buckets: [{ name: "net", period: "1h", ban_time: "1h", cidr: 24, failed_requests: failures, ipv4: true }],
              account_delay: { enabled: false },
            },
          },
        },
      },
    },
  );
  await oidc.stack.start("admin");
  const { url } = oidc.stack;
  const keys = async (): Promise<string> => (await fetch(`${url}/oidc/jwks`)).text();
  const isListed = async (network: string): Promise<boolean> => {
    const response = await fetch(`${url}/api/v1/bruteforce/list`, { headers: { authorization: basicAuth } });
    return response.ok && (await response.text()).includes(`${network}.0/24`);
  };
  const ban = (network: string): Promise<true> =>
    poll(
      `the ban of ${network}`,
      async () => {
        for (let index = 1; index <= failures; index += 1) {
          await askJson(url, { ...alice, password: `wrong-${index}-${Math.random()}`, client_ip: `${network}.1` });
        }
        return isListed(network);
      },
      30_000,
    );
  await ban("203.0.113");
  const before = await keys();

  const run = async (script: string): Promise<void> => {
    const env = { ...process.env, PATH: `${folder.path}/bin:${process.env["PATH"] ?? ""}` };
    await promisify(execFile)("bash", ["-e", "-c", script], { env });
  };
  await run(await commandsOf("Back up", folder.path, port));
  await ban("198.51.100");

  // The test is the service manager: `systemctl` waits until it has stopped or started the server.
  const systemctl = join(folder.path, "bin/systemctl");
  await writeFile(
    systemctl,
    `#!/bin/sh\nmkfifo "${folder.path}/done"\necho "$1" >"${folder.path}/asked"\nread line <"${folder.path}/done"\nrm "${folder.path}/done" "${folder.path}/asked"\n`,
  );
  await chmod(systemctl, 0o755);
  const restored = run(await commandsOf("Restore", folder.path, port));
  for (const wanted of ["stop", "start"]) {
    await poll(
      `systemctl ${wanted}`,
      () =>
        readFile(join(folder.path, "asked"), "utf8").then(
          (text) => text.trim() === wanted,
          () => false,
        ),
      30_000,
    );
    if (wanted === "stop") await redis.stop();
    else redis = await start();
    await writeFile(join(folder.path, "done"), "\n");
  }
  await restored;

  expect(await poll("the keys", async () => (await keys()) === before, 30_000)).toBe(true);
  await poll("the bans", () => isListed("203.0.113"), 30_000);
  expect(await isListed("198.51.100")).toBe(false);
  expect((await askJson(url, { ...alice, client_ip: "203.0.113.7" })).status).toBe(403);
  expect(await readFile(file, "utf8")).toContain("\nappendonly yes\n");
}, 240_000);
