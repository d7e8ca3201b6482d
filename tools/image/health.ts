// The image's HEALTHCHECK: exits with 0 if the service of this container is ready. It loads no configuration schema, because it runs every
// few seconds.
import { readdirSync, readFileSync } from "node:fs";
import { healthAddress, serviceOf } from "./health-address.ts";

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}

function configText(): string {
  try {
    return readFileSync(process.env["SERVICE_CONFIG_FILE"] ?? "", "utf8");
  } catch {
    // Defaults and variables suffice.
    return "";
  }
}

const services = readdirSync("/proc")
  .filter((name) => /^\d+$/u.test(name))
  .map((pid) => serviceOf(commandLine(pid)));
const service = services.find((name) => name !== undefined);
if (service === undefined) throw new Error("no service runs in this container");
const address = healthAddress(service, process.env, configText());
if (address !== undefined) {
  const response = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(4000) });
  console.log(await response.text());
  process.exitCode = response.ok ? 0 : 1;
}
