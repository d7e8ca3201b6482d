import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "auth-engine", role: "state" });

export { all as shadowKeyFamilies };

const monthSeconds = 30 * 86_400;
const lost = "the report of the shadow starts empty";

/** Counts of the comparisons with `auth.shadow`. All keys of the report are in one slot, so that one script writes a batch. */
export const shadowTotalsKey = key("shadow: counts", "hash", monthSeconds, {
  template: "shadow:{report}:totals",
  lost,
});

/** Differences by the time when they were last seen. */
export const shadowIndexKey = key("shadow: differences by time", "zset", monthSeconds, {
  template: "shadow:{report}:index",
  lost,
});

/** The newest 10,000 differences, encrypted. */
export const shadowRecordsKey = key("shadow: differences", "hash", monthSeconds, {
  template: "shadow:{report}:records",
  lost,
});

/** The number of the last batch of an engine, so that a batch that is sent twice counts once. */
export const shadowBatchKey = key("shadow: last batch of an engine", "string", 3 * 3600, {
  template: "shadow:{report}:batch:<engine>",
  lost: "a batch whose answer was lost may count twice",
});
