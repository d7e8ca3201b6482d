export {
  createRegionStatuses,
  type DropReason,
  dropReasons,
  type RegionStatus,
  type RegionStatuses,
} from "./region-status.ts";
