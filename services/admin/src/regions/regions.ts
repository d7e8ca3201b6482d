import type { RegionList } from "@postern/shared/contracts";
import type { RegionStatuses } from "@postern/shared/domain/regions";

type Known = Awaited<ReturnType<RegionStatuses["read"]>>["regions"][number];

const iso = (ms: number): string => new Date(ms).toISOString();

function factsOf({ sinceMs, lagMs, lastMessageMs, waiting, applied, dropped, position, snapshotMs }: Known) {
  return {
    since: iso(sinceMs),
    ...(lastMessageMs !== undefined && { last_message: iso(lastMessageMs) }),
    ...(lagMs !== undefined && { lag_ms: lagMs }),
    waiting,
    applied,
    dropped: Object.fromEntries(Object.entries(dropped).filter(([, count]) => count > 0)),
    ...(snapshotMs !== undefined && { snapshot: iso(snapshotMs) }),
    ...(position !== undefined && { position }),
  };
}

/** The other regions: those of the configuration, and those of which something is still held. @param own name of this region */
export function createRegions(own: string, peers: readonly string[], statuses: RegionStatuses) {
  return {
    /** @throws AppError REDIS_UNAVAILABLE */
    list: async (): Promise<RegionList> => {
      const { isSilent, regions } = await statuses.read();
      const known = new Map(regions.map((region) => [region.name, region]));
      const names = [...new Set([...peers, ...known.keys()])].toSorted();
      return {
        name: own,
        is_exchanging: !isSilent,
        regions: names.map((name) => {
          const region = known.get(name);
          const isPeer = peers.includes(name);
          return {
            name,
            link: region === undefined || isSilent || !isPeer ? "unknown" : region.link,
            ...(region === undefined ? { dropped: {} } : factsOf(region)),
            is_configured: isPeer,
            is_forgetting: region?.isForgetting === true,
          };
        }),
      };
    },
    /** @returns false if no other region has this name. @throws AppError REDIS_UNAVAILABLE */
    forget: async (name: string): Promise<boolean> => {
      const isKnown = peers.includes(name) || (await statuses.read()).regions.some((region) => region.name === name);
      if (isKnown) await statuses.forget(name);
      return isKnown;
    },
  };
}
