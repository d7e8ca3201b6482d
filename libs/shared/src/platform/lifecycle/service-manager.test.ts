import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";

const manager = JSON.stringify(new URL("service-manager.ts", import.meta.url).href);

/** Receives datagrams as systemd does, until the service is stopping. */
const listener = `
  import { dlopen } from "node:ffi";
  import { writeSync } from "node:fs";
  const int = "i32";
  const { functions: { socket, bind, recv } } = dlopen(null, {
    socket: { return: int, arguments: [int, int, int] },
    bind: { return: int, arguments: [int, "buffer", int] },
    recv: { return: "i64", arguments: [int, "buffer", "u64", int] },
  });
  const address = Buffer.alloc(110);
  address.writeUInt16LE(1);
  address.write(process.env.NOTIFY_SOCKET, 2);
  const file = socket(1, 2, 0);
  if (bind(file, address, 110) !== 0) throw new Error("bind");
  writeSync(1, "bound\\n");
  const received = Buffer.alloc(200);
  for (let line = ""; line !== "STOPPING=1"; ) {
    line = received.toString("utf8", 0, Number(recv(file, received, 200n, 0)));
    writeSync(1, line + "\\n");
  }
`;

const service = `
  import { connectServiceManager } from ${manager};
  const manager = connectServiceManager(process.env, console);
  manager.ready();
  setTimeout(() => manager.stopping(), 300);
`;

const run = (program: string): readonly string[] => ["--no-warnings", "--input-type=module", "-e", program];

test("systemd learns that the service is ready, that its event loop runs, and that it stops", async () => {
  await using folder = await scratchFolder();
  const env = { ...process.env, NOTIFY_SOCKET: join(folder.path, "notify"), WATCHDOG_USEC: "90000" };
  const systemd = spawn(process.execPath, run(listener), { env, stdio: ["ignore", "pipe", "inherit"] });
  const received = text(systemd.stdout);
  await once(systemd.stdout, "data");
  await promisify(execFile)(process.execPath, run(service), { env });
  const lines = (await received).trim().split("\n").slice(-100);
  expect(lines.filter((line) => line !== "bound")).toEqual(expect.arrayContaining(["READY=1", "WATCHDOG=1"]));
  expect(lines.at(-1)).toBe("STOPPING=1");
});

test("without systemd nothing is sent, and without its socket the service runs on", async () => {
  const { NOTIFY_SOCKET: _, ...env } = process.env;
  const { stderr } = await promisify(execFile)(process.execPath, run(service), { env });
  expect(stderr).toBe("");
  await promisify(execFile)(process.execPath, run(service), { env: { ...env, NOTIFY_SOCKET: "/nowhere/socket" } });
});
