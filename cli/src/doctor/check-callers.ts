import { pathTo } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { reachedAt } from "./check-services.ts";
import { type Check, type Finding, findingsOf } from "./finding.ts";

/** A caller that was renamed or never set up shows after a day; many ask only at night. */
const patienceSeconds = 24 * 3600;

/** The value of the series that the pattern matches, with several the sum; undefined without one. */
function valueIn(text: string, pattern: RegExp): number | undefined {
  const values = [...text.matchAll(pattern)].map(([, value]) => Number(value));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");

/** Callers without a request, in a gateway's metrics; none before the gateway has run for `afterSeconds`. */
export function unseenCallers(
  metrics: string,
  names: readonly string[],
  { nowSeconds, afterSeconds }: { readonly nowSeconds: number; readonly afterSeconds: number },
): readonly Finding[] {
  const started = valueIn(metrics, /^process_start_time_seconds (\S+)$/gmu);
  if (started === undefined || nowSeconds - started < afterSeconds) return [];
  const since = new Date(started * 1000).toISOString();
  return names.flatMap((name) => {
    const series = new RegExp(
      `^\\w+_caller_requests_total\\{caller="${escaped(name)}",result="\\w+"\\} (\\S+)$`,
      "gmu",
    );
    if (valueIn(metrics, series) !== 0) return [];
    const found = `no request since the gateway of this machine started at ${since}`;
    return [
      findingsOf(`caller ${name}`).warning(found, "check the address and the credentials that it uses, or remove it"),
    ];
  });
}

/** Callers that the gateway of this machine has never seen. Another check reports a gateway that does not answer. */
export function callerChecks(config: Config, timeoutMs: number, afterSeconds = patienceSeconds): readonly Check[] {
  const { private_address: address } = config.runtime.services.gateway;
  const { basic_auth: pair, callers } = config.auth.backchannel;
  const names = [...(pair.enabled ? [pair.username] : []), ...callers.map(({ name }) => name)];
  if (address === "" || names.length === 0) return [];
  const run = async (): Promise<readonly Finding[]> => {
    try {
      const response = await fetch(`http://${reachedAt(address)}${pathTo("metrics")}`, {
        signal: AbortSignal.timeout(timeoutMs),
      });
      return unseenCallers(await response.text(), names, { nowSeconds: Date.now() / 1000, afterSeconds });
    } catch {
      return [];
    }
  };
  return [{ subject: "callers", run }];
}
