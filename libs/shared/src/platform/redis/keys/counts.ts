import { keysWith } from "./family.ts";

/**
 * What engines count and compare, and send in batches. The keys of one kind of counts are in one slot, so that one script writes a batch
 * completely or not at all.
 */
const key = keysWith({ owner: "auth-engine", role: "state" });

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** The number of the last batch of an engine, so that a batch that is sent twice counts once. */
const batchKey = <const Template extends string>(name: string, template: Template) =>
  key(name, "string", 3 * hourSeconds, { template, lost: "a batch whose answer was lost may count twice" });

/** Sign-ins by domain on one day; see `libs/shared/src/domain/domain-counts`. */
export const domainDayKey = key("sign-ins by domain", "hash", 16 * daySeconds, {
  template: "domains:{domains}:day:<number of the day since the epoch>",
  lost: "the console's page Domains shows no sign-ins of the days before",
});

/** Accounts of a domain that were seen in one week, as a HyperLogLog, which contains no names. */
export const domainAccountsKey = key("accounts of a domain", "string", 28 * daySeconds, {
  template:
    "domains:{domains}:<accounts, second_factors or app_passwords>:<number of the week since the epoch>:<domain>",
  lost: "the numbers of accounts by domain start at zero",
});

export const domainBatchKey = batchKey("last batch of domain counts", "domains:{domains}:batch:<engine>");

/** Sign-ins by country, or by autonomous system, in one period; see `libs/shared/src/domain/origins`. */
export const originKey = key("sign-ins by origin", "hash", 17 * 12 * hourSeconds, {
  template: "origins:{origins}:<hour, day or week>:<number of the period since the epoch>:<countries or systems>",
  lost: "the console's map starts empty",
});

export const originBatchKey = batchKey("last batch of origins of an engine", "origins:{origins}:batch:<engine>");

/** Counts of one minute, ten minutes or hour; see `libs/shared/src/domain/rollups`. */
export const rollupKey = key("sign-ins over time", "hash", (15 * 24 + 3) * hourSeconds, {
  template: "rollups:{sign-ins}:<minutes, tens or hours>:<number of the period since the epoch>",
  lost: "the console's charts start empty",
});

export const rollupBatchKey = batchKey("last batch of an engine", "rollups:{sign-ins}:batch:<engine>");

const shadowKey = <const Template extends string>(name: string, type: "hash" | "zset", template: Template) =>
  key(name, type, 30 * daySeconds, { template, lost: "the report of the shadow starts empty" });

/** Counts of the comparisons with `auth.shadow`. */
export const shadowTotalsKey = shadowKey("shadow: counts", "hash", "shadow:{report}:totals");

/** Differences by the time when they were last seen. */
export const shadowIndexKey = shadowKey("shadow: differences by time", "zset", "shadow:{report}:index");

/** The newest 10,000 differences, encrypted. */
export const shadowRecordsKey = shadowKey("shadow: differences", "hash", "shadow:{report}:records");

export const shadowBatchKey = batchKey("shadow: last batch of an engine", "shadow:{report}:batch:<engine>");

/** The rehearsal of the site that runs, or the last one with its result, encrypted: at most 2 MB. */
export const rehearsalKey = key("rehearsal", "hash", daySeconds, {
  template: "rehearsal",
  lost: "the result of the last rehearsal is gone; one that runs ends",
});
