import { type Static, Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, operatorApi, pathOf } from "../operations/answers.ts";
import { component, flag, list, optional, optionalCount, optionalText, text, time } from "../schema.ts";

const OtherRegion = Type.Object({
  name: Type.String(),
  link: text("up, down, or unknown: nothing was heard of it yet, or no jobs-worker exchanges messages."),
  since: optional(time("When the link became so.")),
  last_message: optional(time("When it last answered.")),
  lag_ms: optionalCount(
    "Of the newest entry that was applied here: the time from its writing there until then, in milliseconds.",
  ),
  waiting: optionalCount("Entries that are not yet applied here. While the link is down, those that were known."),
  applied: optionalCount("Entries that were applied."),
  dropped: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
    description: "Messages that were not applied, by reason: unauthentic, malformed, oversized, unknown or failed.",
  }),
  snapshot: optional(time("When its whole state was last taken, because entries were missing.")),
  position: optionalText("Where reading its log continues."),
  is_configured: flag("Whether runtime.regions.peers names it."),
  is_forgetting: flag("Whether it is to be forgotten, which a jobs-worker does within seconds."),
});

export const RegionList = component("RegionList", {
  name: text("Name of this region."),
  is_exchanging: flag("Whether a jobs-worker has reported about the other regions within 15 seconds."),
  regions: list("The other regions, by name. Counts are those since it was first met.", OtherRegion),
});
export type RegionList = Static<typeof RegionList>;

const path = "/api/v1/regions";
const define = operatorApi({ name: "regions", prefix: path, owner: "admin" }, "Administration");

export const regionOperations = [
  define("get", path, "listRegions", {
    summary: "Show the links to the other regions",
    description:
      "What the jobs-worker of this region knows about the regions with which it shares bans and revocations.",
    answers: { 200: jsonAnswer("The regions.", RegionList), 404: errorAnswer("runtime.regions.name is not set.") },
  }),
  define("delete", `${path}/{name}`, "forgetRegion", {
    anyScope: ["admin"],
    summary: "Forget what another region has reported",
    description:
      "For a region that was removed, or that lost its data. The place in its log and its status are deleted. Its failure counts end with their periods, and its bans when they end. A region that runtime.regions.peers names is met as a new one: its whole state is taken. Audited as region.forget.",
    request: pathOf({ name: text("Name of the region.", { minLength: 1, maxLength: 20 }) }),
    answers: {
      202: emptyAnswer("A jobs-worker forgets it within seconds."),
      404: errorAnswer("runtime.regions.name is not set, or no other region has this name."),
    },
  }),
];
