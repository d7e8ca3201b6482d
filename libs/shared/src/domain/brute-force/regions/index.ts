export { CountMarks, type CountName, countNamed, countText } from "./count-marks.ts";
export { createKnownNetworks, type KnownNetworks, type SeenFrom } from "./known-networks.ts";
export { createRegionalFlush, type OwnRegion, type RegionalFlush } from "./regional-flush.ts";
export {
  type BanId,
  type BanIds,
  createBanIds,
  createSharedBans,
  ownBanId,
  type SharedBans,
  type TaggedScope,
} from "./shared-bans.ts";
export {
  createSharedCounts,
  keysOfAccountCount,
  keysOfNetworkCount,
  type ReadCount,
  type SharedCounts,
} from "./shared-counts.ts";
