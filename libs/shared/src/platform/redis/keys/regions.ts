import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "jobs-worker", role: "state" });

export { all as regionKeyFamilies };

const monthSeconds = 30 * 86_400;

/** What this region knows about each of its peers, and which of them an operator wants forgotten. */
export const regionStatusKey = key("regions: status", "hash", monthSeconds, {
  owner: "jobs-worker; admin, to have a region forgotten",
  template: "regions:status",
  lost: "the status of the other regions is unknown until the next exchange; an order to forget one is repeated",
});
