import { keysWith } from "./family.ts";

const key = keysWith({ owner: "jobs-worker", role: "state" });

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

/** Accounts whose sessions other regions have ended, until idp has ended them here. Fields are a time and the account. */
export const regionSessionEndsKey = key("regions: ended sessions", "hash", 86_400, {
  template: "regions:session-ends",
  lost: "sessions of accounts continue whose sessions another region has ended in the last seconds",
});

/** The worker that exchanges messages with the other regions. */
export const regionLeaseKey = key("regions: lease", "string", 5, {
  template: "regions:lease",
  lost: "another worker may take over",
});
