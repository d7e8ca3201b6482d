import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ChildServer, freePort, startChildServer } from "@postern/testing";
import { parseRunOptions } from "../../../tools/run/options.ts";
import { takenPorts } from "../../../tools/run/ports.ts";
import { servicePrograms, stores } from "../../../tools/run/programs.ts";

const repository = join(import.meta.dirname, "../../..");
const names = ["gateway", "auth-engine", "idp", "admin", "jobs-worker"] as const;

/** Listens on the private address that it is given, and records when it receives SIGTERM. */
const standIn = `
const [host, port] = process.env["SERVICE_RUNTIME_SERVICES_" + NAME.toUpperCase().replaceAll("-", "_") + "_PRIVATE_ADDRESS"].split(":");
require("node:http").createServer((_, reply) => reply.end()).listen(Number(port), host);
console.log(NAME, "pid", process.pid);
process.on("SIGTERM", () => {
  console.log("asked to end at", process.hrtime.bigint());
  setTimeout(() => process.exit(0), 50);
});
`;

/** Writes five services that only answer `/readyz`; `broken` is one of them that ends immediately. */
export function plantServices(root: string, broken?: (typeof names)[number]): void {
  for (const name of names) {
    const folder = join(root, "services", name, "dist/bundle");
    mkdirSync(folder, { recursive: true });
    const text = name === broken ? 'console.log("no such directory: demo.db"); process.exitCode = 3;' : standIn;
    writeFileSync(join(folder, "main.js"), `const NAME = "${name}";\n${text}`);
  }
}

/** Below the ports of other servers of tests, which begin at 20,000: none of them takes a port of the demo meanwhile. */
const maxOffset = 3600;

/** An offset that leaves every port of the demo free. Processes that test at the same time begin at different ones. */
async function freeOffset(): Promise<number> {
  for (let offset = (28 * Math.floor((await freePort()) / 100)) % maxOffset; ; offset = (offset + 1) % maxOffset) {
    const options = parseRunOptions(["--engines", "2", "--port-offset", String(offset)]);
    const taken = await takenPorts([...stores(options), ...servicePrograms(options)]);
    if (taken.length === 0) return offset;
  }
}

export interface DemoCommands {
  readonly folder: string;
  readonly args: readonly string[];
  readonly portOffset: number;
}

export async function demoIn(root: string): Promise<DemoCommands> {
  const portOffset = await freeOffset();
  const folder = join(root, "demo");
  const args = ["--engines", "2", "--services-root", root, "--folder", folder, "--port-offset", String(portOffset)];
  return { folder, args, portOffset };
}

/** The runner, ready: its banner has been printed. */
export function startRunner({ args }: DemoCommands): Promise<ChildServer> {
  return startChildServer({
    command: process.execPath,
    args: [join(repository, "tools/run.ts"), ...args],
    ready: (output) => output.includes("Press Ctrl-C to stop the demo"),
  });
}

/** Runs run.ts or stop.ts to its end. */
export function runTool(
  tool: "run" | "stop",
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const script = join(repository, `tools/${tool}.ts`);
    const child = spawn(process.execPath, [script, ...args]);
    const chunks: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
    }
    child.once("close", (code) => resolve({ code, output: chunks.join("") }));
  });
}
