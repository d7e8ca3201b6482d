import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "auth-engine", role: "state" });

export { all as originKeyFamilies };

const hourSeconds = 3600;

/**
 * Sign-ins by country, or by autonomous system, in one period; see `libs/shared/src/domain/origins`. All keys are in one slot, so that one
 * script writes a batch completely or not at all.
 */
export const originKey = key("sign-ins by origin", "hash", 17 * 12 * hourSeconds, {
  template: "origins:{origins}:<hour, day or week>:<number of the period since the epoch>:<countries or systems>",
  lost: "the console's map starts empty",
});

/** The number of the last batch of an engine, so that a batch that is sent twice counts once. */
export const originBatchKey = key("last batch of origins of an engine", "string", 3 * hourSeconds, {
  template: "origins:{origins}:batch:<engine>",
  lost: "a batch whose answer was lost may count twice",
});
