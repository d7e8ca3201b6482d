import { keysWith } from "./family.ts";

const { key, all } = keysWith({ owner: "auth-engine", role: "state" });

export { all as domainCountKeyFamilies };

const daySeconds = 86_400;

/**
 * Sign-ins by domain on one day; see `libs/shared/src/domain/domain-counts`. All keys are in one slot, so that one script writes a batch
 * completely or not at all.
 */
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

/** The number of the last batch of an engine, so that a batch that is sent twice counts once. */
export const domainBatchKey = key("last batch of domain counts", "string", 3 * 3600, {
  template: "domains:{domains}:batch:<engine>",
  lost: "a batch whose answer was lost may count twice",
});
