export { RegionCalls, regionCallsPurpose } from "./region-calls.ts";
export { homeOf, tagged, tagOf } from "./region-tags.ts";
