import { relative } from "node:path";
import { type RunOptions } from "./options.ts";
import { type Program, privatePorts, publicPort } from "./programs.ts";

export function addressOf(options: RunOptions): string {
  return `http://localhost:${publicPort(options)}`;
}

/** The text that is shown when everything is ready. */
export function banner(options: RunOptions, services: readonly Program[], startedInMs: number): string {
  const base = `http://127.0.0.1:${publicPort(options)}`;
  const user =
    '{"username":"alice@example.test","password":"alice-demo-password","protocol":"imap","client_ip":"203.0.113.9"}';
  const call = "curl -si -u backchannel:demo-backchannel-secret -H 'content-type: application/json'";
  const listening = options.isOneProcess
    ? privatePorts(options)
    : services.map(({ name, ports }) => [name, ports[0] ?? 0] as const);
  const listeners = listening.map(([name, port]) => `  ${name.padEnd(14)} http://127.0.0.1:${port}/metrics`);
  return [
    "",
    `Postern is ready at ${addressOf(options)} (started in ${(startedInMs / 1000).toFixed(1)} s)`,
    ...listeners,
    `  logs           ${relative(process.cwd(), options.folder)}/logs/<name>.log`,
    "",
    "In another terminal, try a correct and a wrong password:",
    `  ${call} -d '${user}' ${base}/api/v1/auth/json`,
    `  ${call} -d '${user.replace("alice-demo-password", "wrong")}' ${base}/api/v1/auth/json`,
    "",
    "Press Ctrl-C to stop the demo, or run `make stop` in another terminal.",
  ].join("\n");
}
