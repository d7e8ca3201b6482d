import type { Attacks, SignInSeries, SystemReport } from "@postern/shared/contracts";
import { readAttacks, readSeries, readSystem } from "../answers.ts";
import { type Api, ApiError } from "../api.ts";

/** What could be read; the others are named with the reason. */
export interface TopData {
  readonly series?: SignInSeries | undefined;
  readonly system?: SystemReport | undefined;
  readonly attacks?: Attacks | undefined;
  readonly unavailable: readonly string[];
}

const names = ["sign-ins", "health", "attacks"] as const;

const valueOf = <Value>(result: PromiseSettledResult<Value>): Value | undefined =>
  result.status === "fulfilled" ? result.value : undefined;

/** @throws ApiError if nothing can be read; any other error of one part too */
export async function readTop(api: Api, stop?: AbortSignal): Promise<TopData> {
  const signal = stop && { signal: stop };
  const results = await Promise.allSettled([
    api.ask("showSeries", { query: { range: "1h" }, ...signal }).then(readSeries),
    api.ask("showSystem", { ...signal }).then(readSystem),
    api.ask("showAttacks", { query: { minutes: "1" }, ...signal }).then(readAttacks),
  ]);
  const failed = results.flatMap((result, index) =>
    result.status === "rejected" ? [{ name: names[index] ?? "", reason: result.reason as unknown }] : [],
  );
  const [first] = failed;
  const unknown =
    failed.find(({ reason }) => !(reason instanceof ApiError)) ?? (failed.length === 3 ? first : undefined);
  if (unknown !== undefined) throw unknown.reason;
  const [series, system, attacks] = results;
  return {
    series: valueOf(series),
    system: valueOf(system),
    attacks: valueOf(attacks),
    unavailable: failed.map(({ name, reason }) => `${name}: ${reason instanceof Error ? reason.message : ""}`),
  };
}
