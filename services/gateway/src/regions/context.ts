import { type Base, regionCallsFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { createForwardToRegion } from "./forward-to-region.ts";
import { createRegionCookie } from "./region-cookie.ts";

/** The calls of other regions, and what is forwarded to them; undefined if there is one region only. */
export async function createRegions(config: Config, base: Base) {
  const calls = await regionCallsFromConfig(config, base);
  if (calls === undefined) return undefined;
  const { metrics, metricsPrefix, logger } = base;
  const requests = metrics.counter({
    name: `${metricsPrefix}_region_requests_total`,
    help: "Requests that concern another region, by whether it answered",
    labels: { outcome: ["answered", "away"] },
  });
  const cookie = createRegionCookie(config.identity.oidc.issuer);
  const counted = (outcome: "answered" | "away"): void => requests({ outcome }).inc();
  return { calls, forward: createForwardToRegion(calls, cookie, counted, logger) };
}
