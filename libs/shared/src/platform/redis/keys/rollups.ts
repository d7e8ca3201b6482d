import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "auth-engine", role: "state" });

export { all as rollupKeyFamilies };

const hourSeconds = 3600;

/**
 * Counts of one minute, ten minutes or hour; see `libs/shared/src/domain/rollups`. All keys are in one slot, so that one script writes a
 * batch completely or not at all.
 */
export const rollupKey = key("sign-ins over time", "hash", (15 * 24 + 3) * hourSeconds, {
  template: "rollups:{sign-ins}:<minutes, tens or hours>:<number of the period since the epoch>",
  lost: "the console's charts start empty",
});

/** The number of the last batch of an engine, so that a batch that is sent twice counts once. */
export const rollupBatchKey = key("last batch of an engine", "string", 3 * hourSeconds, {
  template: "rollups:{sign-ins}:batch:<engine>",
  lost: "a batch whose answer was lost may count twice",
});
