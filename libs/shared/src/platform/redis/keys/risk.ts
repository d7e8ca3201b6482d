import { keysWith } from "./family.ts";

const key = keysWith({ owner: "auth-engine", role: "state" });

const yearSeconds = 8760 * 60 * 60;

/** Networks, countries, systems and protocols with which an account signed in; written with `auth.risk.retention`. */
export const riskAccountKey = key("facts about an account's sign-ins", "string", yearSeconds, {
  // The longest retention.
  template: "risk:account:{<keyed digest of the account>}",
  lost: "the account is learned again, and nothing raises a signal for it until then",
});

/** Number of accounts for which a network sent wrong and correct passwords, for networks that sent several wrong ones. */
export const riskSourceKey = key("accounts that a network met", "string", 3 * 60 * 60, {
  template: "risk:source:{<keyed digest of the network>}",
  lost: "a network that guesses many accounts raises no signal until it has guessed as many again",
});

/** Suspicious sign-ins of an account, at most eight, until the user says whether they were theirs. */
export const riskReviewKey = key("suspicious sign-ins of an account", "string", 7 * 24 * 60 * 60, {
  owner: "auth-engine, idp",
  template: "risk:review:{<keyed digest of the account>}",
  lost: "users and operators do not see the suspicious sign-ins of the last days; holds remain",
});

/** Set for some seconds by the engine that notifies of a suspicious sign-in, and until the end of its life once the notification is stored. */
export const riskNoticeKey = key("notification of a suspicious sign-in", "string", 29 * 60, {
  // A little shorter than the half hour after which a network is reported again.
  template: "risk:notice:{<keyed digest of the account>}:<keyed digest of the network>",
  lost: "users may be notified of the same network a second time within half an hour",
});

/** When the facts of an account were last flushed: what other regions still have from before does not return. Only with `runtime.regions`. */
export const riskFlushedKey = key("flush of the facts about an account", "string", yearSeconds, {
  owner: "admin, idp, jobs-worker",
  // As long as the longest retention.
  template: "risk:flushed:{<keyed digest of the account>}",
  lost: "facts that another region has from before a flush may return",
});

/** Accounts whose facts or suspicious sign-ins have changed, by version, for the other regions. Only with `runtime.regions`. */
export const changedFactsKey = key("regions: changed facts", "zset", 30 * 86_400, {
  owner: "auth-engine, admin, idp, jobs-worker",
  template: "regions:facts",
  bound: "200,000 accounts",
  lost: "other regions learn the facts of an account when they next change",
});
