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

/** What this region tells the others; each entry is encrypted. */
export const regionLogKey = key("regions: log", "stream", 0, {
  owner: "every service",
  template: "regions:log",
  bound: "100,000 entries",
  lost: "the other regions read the bans of this one again, and miss flushes and revocations that they had not read yet",
});

/** How far the logs of the other regions have been read. */
export const regionPositionsKey = key("regions: positions", "hash", monthSeconds, {
  template: "regions:positions",
  lost: "the state of the other regions is read again",
});

/** The worker that exchanges messages with the other regions. */
export const regionLeaseKey = key("regions: lease", "string", 5, {
  template: "regions:lease",
  lost: "another worker may take over",
});
