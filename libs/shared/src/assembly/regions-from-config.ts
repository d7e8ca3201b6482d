import type { OwnRegion } from "../domain/brute-force/index.ts";
import { RegionCalls, regionCallsPurpose } from "../domain/region-calls/index.ts";
import { ChangeMarks, RegionLog, regionLogPurpose } from "../domain/regions/index.ts";
import { type Bus, connectBus } from "../platform/bus/index.ts";
import type { Config } from "../platform/config/index.ts";
import { changedFactsKey, type RedisClient } from "../platform/redis/index.ts";
import type { Base } from "./base.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** This region and the others; undefined if no regions are configured. */
export function regionsFromConfig({ runtime }: Config) {
  const { name, peers, bus } = runtime.regions;
  return name === "" ? undefined : { name, peers, namespace: bus.namespace };
}

export type Regions = NonNullable<ReturnType<typeof regionsFromConfig>>;

/** What services tell the other regions; undefined if no regions are configured. @param redis the client of the role `state` */
export function regionLogFromConfig(config: Config, redis: RedisClient): RegionLog | undefined {
  const keys = keyRingFromConfig(config, regionLogPurpose);
  if (regionsFromConfig(config) === undefined || keys === undefined) return undefined;
  return new RegionLog({ redis, keyPrefix: config.storage.redis.prefix, keys });
}

/** This region and its log; undefined if no regions are configured. @param redis the client of the role `state` */
export function ownRegionFromConfig(config: Config, redis: RedisClient): OwnRegion | undefined {
  const log = regionLogFromConfig(config, redis);
  return log && { name: config.runtime.regions.name, log };
}

/** Notes accounts whose facts have changed; undefined if no regions are configured. @param redis the client of the role `state` */
export function factMarksFromConfig(config: Config, redis: RedisClient): ChangeMarks | undefined {
  if (regionsFromConfig(config) === undefined) return undefined;
  return new ChangeMarks(redis, config.storage.redis.prefix, changedFactsKey);
}

/**
 * A connection to the NATS that joins the regions. A region's methods are those of a service with its name, and its inboxes have that name,
 * so that permissions in NATS can tell the regions apart. Undefined if no regions are configured.
 */
export async function regionsBusFromConfig(config: Config, { logger }: Pick<Base, "logger">): Promise<Bus | undefined> {
  const regions = regionsFromConfig(config);
  if (regions === undefined) return undefined;
  const { bus: ofServices, regions: section } = config.runtime;
  const connection = section.bus.servers.length > 0 ? section.bus : ofServices;
  return connectBus({
    servers: connection.servers,
    namespace: regions.namespace,
    name: regions.name,
    security: connection,
    // The bus of the services reports the same.
    logger: {
      info: (fields, message) => logger.info({ bus: "regions", ...fields }, message),
      warn: (fields, message) => logger.warn({ bus: "regions", ...fields }, message),
      error: (fields, message) => logger.error({ bus: "regions", ...fields }, message),
    },
    // A region starts without waiting for the others.
    connectWaitMs: 0,
  });
}

/** Calls to and from the other regions; undefined if no regions are configured. */
export async function regionCallsFromConfig(config: Config, base: Base): Promise<RegionCalls | undefined> {
  const [regions, keys] = [regionsFromConfig(config), keyRingFromConfig(config, regionCallsPurpose)];
  if (regions === undefined || keys === undefined) return undefined;
  const bus = await regionsBusFromConfig(config, base);
  return bus && new RegionCalls({ ...regions, bus, keys });
}
