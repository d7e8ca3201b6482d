import type { Config } from "@postern/shared/platform/config";
import { type Check, type Finding, findingsOf } from "./finding.ts";

const keys = ["gateway", "auth_engine", "idp", "admin", "jobs_worker"] as const;

function failedChecks(text: string): readonly string[] {
  try {
    const { checks }: { readonly checks?: Readonly<Record<string, string>> } = JSON.parse(text);
    return Object.entries(checks ?? {}).flatMap(([name, state]) => (state === "down" ? [name] : []));
  } catch {
    return [];
  }
}

async function checkService(service: string, address: string, timeoutMs: number): Promise<readonly Finding[]> {
  const { problem, warning } = findingsOf(`service ${service}`);
  const log = `see its log: journalctl -u postern-${service}`;
  try {
    const response = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(timeoutMs) });
    const down = failedChecks(await response.text());
    if (!response.ok) return [problem(`not ready: ${down.join(", ") || `status ${response.status}`}`, log)];
    return down.length === 0 ? [] : [warning(`ready without ${down.join(", ")}`, log)];
  } catch {
    const advice = `start it (systemctl start postern-${service}); if it runs on another machine, run postern doctor there`;
    return [problem(`does not answer at ${address}`, advice)];
  }
}

/** Where a listener of this machine is reached: for a wildcard address, on loopback. */
export function reachedAt(address: string): string {
  return address.replace(/^(?:0\.0\.0\.0|\[::\])?:/u, "127.0.0.1:");
}

/** The private listener of each service of this machine. */
export function serviceChecks(config: Config, timeoutMs: number): readonly Check[] {
  return keys.flatMap((key) => {
    const service = key.replace("_", "-");
    const { private_address: address } = config.runtime.services[key];
    if (address === "") return [];
    return [{ subject: `service ${service}`, run: () => checkService(service, reachedAt(address), timeoutMs) }];
  });
}
