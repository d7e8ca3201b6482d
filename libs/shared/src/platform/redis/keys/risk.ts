import type { KeyFamily } from "./family.ts";

const yearSeconds = 8760 * 60 * 60;

const ofRisk = { owner: "auth-engine", role: "state", type: "string" } as const;

/** Networks, countries, systems and protocols with which an account signed in; written with `auth.risk.retention`. */
export const riskAccountKey: KeyFamily<[accountDigest: string]> = {
  ...ofRisk,
  name: "facts about an account's sign-ins",
  // The longest retention.
  ttlSeconds: yearSeconds,
  lost: "the account is learned again, and nothing raises a signal for it until then",
  parts: ["keyed digest of the account"],
  build: (prefix, account) => `${prefix}risk:account:{${account}}`,
};

/** Number of accounts for which a network sent wrong and correct passwords, for networks that sent several wrong ones. */
export const riskSourceKey: KeyFamily<[networkDigest: string]> = {
  ...ofRisk,
  name: "accounts that a network met",
  ttlSeconds: 3 * 60 * 60,
  lost: "a network that guesses many accounts raises no signal until it has guessed as many again",
  parts: ["keyed digest of the network"],
  build: (prefix, network) => `${prefix}risk:source:{${network}}`,
};

/** Suspicious sign-ins of an account, at most eight, until the user says whether they were theirs. */
export const riskReviewKey: KeyFamily<[accountDigest: string]> = {
  ...ofRisk,
  name: "suspicious sign-ins of an account",
  owner: "auth-engine, idp",
  ttlSeconds: 7 * 24 * 60 * 60,
  lost: "users and operators do not see the suspicious sign-ins of the last days; holds remain",
  parts: ["keyed digest of the account"],
  build: (prefix, account) => `${prefix}risk:review:{${account}}`,
};

/** Set for some seconds by the engine that notifies of a suspicious sign-in, and until the end of its life once the notification is stored. */
export const riskNoticeKey: KeyFamily<[accountDigest: string, networkDigest: string]> = {
  ...ofRisk,
  name: "notification of a suspicious sign-in",
  // A little shorter than the half hour after which a network is reported again.
  ttlSeconds: 29 * 60,
  lost: "users may be notified of the same network a second time within half an hour",
  parts: ["keyed digest of the account", "keyed digest of the network"],
  build: (prefix, account, network) => `${prefix}risk:notice:{${account}}:${network}`,
};

export const riskKeyFamilies: readonly KeyFamily<never[]>[] = [
  riskAccountKey,
  riskSourceKey,
  riskReviewKey,
  riskNoticeKey,
];
