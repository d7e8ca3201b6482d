import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "auth-engine", role: "state" });

export { all as rehearsalKeyFamilies };

const daySeconds = 86_400;

/** The rehearsal of the site that runs, or the last one with its result, encrypted: at most 2 MB. */
export const rehearsalKey = key("rehearsal", "hash", daySeconds, {
  template: "rehearsal",
  lost: "the result of the last rehearsal is gone; one that runs ends",
});
