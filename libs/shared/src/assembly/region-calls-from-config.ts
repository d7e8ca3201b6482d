import { RegionCalls, regionCallsPurpose } from "../domain/region-calls/index.ts";
import type { Config } from "../platform/config/index.ts";
import type { Base } from "./base.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";
import { regionsBusFromConfig, regionsFromConfig } from "./regions-from-config.ts";

/** Calls to and from the other regions; undefined if no regions are configured. */
export async function regionCallsFromConfig(config: Config, base: Base): Promise<RegionCalls | undefined> {
  const [regions, keys] = [regionsFromConfig(config), keyRingFromConfig(config, regionCallsPurpose)];
  if (regions === undefined || keys === undefined) return undefined;
  const bus = await regionsBusFromConfig(config, base);
  return bus && new RegionCalls({ ...regions, bus, keys });
}
