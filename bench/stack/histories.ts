import { createHistoryWriter, type DecisionBatch } from "@postern/shared/domain/history";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { connect } from "./bans.ts";
import { encryptionSecret } from "./config.ts";
import { mailOf } from "./users.ts";

const limits = {
  lifeSeconds: 1_209_600,
  countsSeconds: 2_592_000,
  perAccount: 40,
  perNetwork: 100,
  maxAccounts: 1_000_000,
  maxNetworks: 1_000_000,
};
const keyPrefix = "postern:";
const accountsAtATime = 500;
/** Each account has successes and failures, each from several addresses. */
const runsPerAccount = 6;

/** An address of an account; none of them is banned. */
export function customerAddress(account: number, index = 0): string {
  return `100.${(account >> 16) & 255}.${(account >> 8) & 255}.${(account + index) & 255}`;
}

function runOf(account: number, index: number, nowMs: number): DecisionBatch["runs"][number] {
  const isGood = index % 2 === 0;
  const timeMs = nowMs - index * 60_000;
  return {
    outcome: isGood ? "ok" : "denied",
    channel: "mail",
    account: mailOf(account),
    username: mailOf(account),
    clientIp: customerAddress(account, index),
    protocol: "imap",
    reason: isGood ? "" : "wrong_password",
    rule: "",
    step: "",
    client: "",
    session: `${account.toString(16).padStart(8, "0")}-${index.toString().padStart(4, "0")}-4000-8000-000000000000`,
    timeMs,
    firstMs: timeMs,
    count: 3,
  };
}

/** Writes the decision history of this number of accounts, as engines do. */
export async function writeHistories(port: number, accounts: number): Promise<void> {
  const redis = await connect(port);
  try {
    const keys = createKeyRing([new Secret(encryptionSecret)], "decision-history");
    const write = createHistoryWriter({ redis, keyPrefix, keys, limits, instance: "bench" });
    const nowMs = Date.now();
    for (let first = 0; first < accounts; first += accountsAtATime) {
      const size = Math.min(accountsAtATime, accounts - first);
      const runs = Array.from({ length: size * runsPerAccount }, (_, index) =>
        runOf(first + Math.floor(index / runsPerAccount), index % runsPerAccount, nowMs),
      );
      const lost = await write({ runs, referred: [], traffic: [], failingNetworks: [] }, nowMs);
      if (lost > 0) throw new Error(`${lost} records were not written`);
    }
  } finally {
    redis.disconnect();
  }
}
