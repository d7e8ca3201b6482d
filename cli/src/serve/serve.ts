import { parseArgs } from "node:util";
import { nearestName } from "@postern/shared/platform/config";
import { type CommandResult, siteFile } from "../command.ts";
import { isServiceName, type ServiceName, serviceNames } from "../config/ports.ts";

export const serveOptions = {
  services: { type: "string", default: serviceNames.join(",") },
  config: { type: "string", short: "c" },
  help: { type: "boolean", short: "h", default: false },
} as const;

export const serveUsage: readonly string[] = [
  "usage: postern serve [--services NAME,…] [--config FILE]",
  `  Runs services of a site in one process, by default all: ${serviceNames.join(", ")}.`,
  "  Requests between them do not leave the process. Without NATS (runtime.bus.servers is empty), the process is the whole site;",
  "  with it, several such processes, or services that run apart, form one site.",
  "  SIGTERM stops the services without losing requests, SIGHUP reads the configuration again.",
  "  --services NAME,…  the services to run",
  "  --config FILE      configuration file (SERVICE_CONFIG_FILE), /etc/postern/config.yaml by default",
];

/** The services that a list names, or what is wrong with it. */
function servicesOf(list: string): readonly ServiceName[] | string {
  const names = list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unknown = names.find((name) => !isServiceName(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown, serviceNames);
    const hint = near === undefined ? "" : ` (did you mean ${near}?)`;
    return `postern serve: there is no service ${JSON.stringify(unknown)}${hint}`;
  }
  if (names.length === 0) return "postern serve: --services names no service";
  return serviceNames.filter((name) => names.includes(name));
}

/** Starts the services; resolves only if it cannot. */
export async function runServeCommand(args: readonly string[]): Promise<CommandResult> {
  const { values } = parseArgs({ args: [...args], options: serveOptions });
  if (values.help) return { exitCode: 0, output: serveUsage, errors: [] };
  const services = servicesOf(values.services);
  if (typeof services === "string") return { exitCode: 2, output: [], errors: [services] };
  // The services are most of the code of the command line, and no other command needs them.
  const { serve } = await import("./one-process.ts");
  await serve(services, siteFile(values.config));
  return new Promise<never>(() => undefined);
}
