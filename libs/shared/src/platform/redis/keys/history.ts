import { keysWith } from "./family.ts";

const key = keysWith({ owner: "auth-engine, idp", role: "state" });

const daySeconds = 86_400;

/** Accounts, networks or refused names of one shard by the time of their last record (s). */
export const historyIndexKey = key("index of the decision history", "zset", 31 * daySeconds, {
  template: "history:{<account, network or refused>:<shard>}:index",
  lost: "records expire by age only, until their account or network signs in again",
});

/**
 * List of records, newest first; each is sealed. The hash tag is that of the index, so that one script writes both. `ok` has the ordinary
 * successes of an account by day, `first` its successes after a failure, and `other` the rest.
 */
export const historyRecordsKey = key("decision history", "list", 31 * daySeconds, {
  template: "history:{<account, network or refused>:<shard>}:<digest and ok, first or other>",
  lost: "operators do not see earlier sign-ins of this account or network",
});

/** Accounts and refused names in whose histories the sign-ins from a network are, by time (s), at most `per_network` each. */
export const historyAccountsKey = key("accounts of a network", "zset", 31 * daySeconds, {
  template: "history:{network:<shard>}:<digest>:accounts:<ok or other>",
  lost: "operators do not find earlier sign-ins by their network",
});

/** In which histories the record of a reference may be, by time (s); at most 8192 in each of 16 shards. */
export const historyReferencesKey = key("references of the decision history", "zset", 14 * daySeconds, {
  template: "history:references:{<shard>}",
  lost: "earlier sign-ins are not found by reference",
});

/** Hash: number of decisions by minute and outcome, for one hour. */
export const trafficKey = key("decisions per minute", "hash", 90_000, {
  template: "history:traffic:{<hour>}",
  lost: "the chart of decisions per minute starts empty",
});

const failingNetworks = key("failures by network", "zset", 90_000, {
  template: "history:traffic:{<hour>}:networks:<empty, :repeated or :refused>",
  lost: "the list of networks with most failures starts empty",
});

/** Networks by their failures of one kind in one hour, at most 1000. Counted failures have the key of earlier versions. */
export const failingNetworksKey = {
  ...failingNetworks,
  build: (prefix: string, hour: string, kind: string) =>
    kind === "counted" ? `${prefix}history:traffic:{${hour}}:networks` : failingNetworks.build(prefix, hour, kind),
};

/** List of changes of an account, newest first, each sealed; at most 20. */
export const accountChangesKey = key("changes of an account", "list", 30 * daySeconds, {
  owner: "idp, admin",
  template: "history:changes:{<digest>}",
  lost: "the timeline of the account shows no earlier changes of second factors, sessions and app passwords",
});

/** Audit records in the order of writing, each sealed. What an unidentified caller causes cannot displace the rest. */
export const auditHistoryKey = key("audit history", "stream", 30 * daySeconds, {
  owner: "every service",
  template: "audit:history:{<identified or unidentified>}",
  lost: "the console's audit page starts empty; the audit stream is not affected",
});
