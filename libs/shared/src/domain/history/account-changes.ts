import { type Static, Type } from "typebox";
import { digestOf } from "../../platform/crypto/index.ts";
import { accountChangesKey } from "../../platform/redis/keys/history.ts";
import { foldedName } from "../brute-force/index.ts";
import { createMemoryWatch } from "./memory-watch.ts";
import type { AuditEntry } from "./record-audit.ts";
import { createLatestRecords, type HistoryStore, newestFirst } from "./store.ts";

/** Audit events that change how an account can sign in. Users and operators cause them, never who merely types a name. */
const events: ReadonlySet<string> = new Set([
  "lost_phone.create",
  "lost_phone.use",
  "account.resume",
  "account.suspend",
  "app_password.create",
  "app_password.delete",
  "cache.flush",
  "recovery_code.use",
  "recovery_codes.create",
  "risk.confirm",
  "risk.reject",
  "second_factor.add",
  "second_factor.lock",
  "second_factor.remove",
  "second_factor.unlock",
  "session.end",
]);
/** Sessions that end in the ordinary course of things. */
const ordinaryEnds: ReadonlySet<string> = new Set(["logout", "replaced", "saml"]);

const AccountChange = Type.Object({
  timeMs: Type.Number(),
  event: Type.String(),
  reason: Type.String(),
  by: Type.Enum(["user", "operator", "system"]),
});
export type AccountChange = Static<typeof AccountChange>;

const longestReason = 64;

function byOf({ actor, target }: AuditEntry): AccountChange["by"] {
  if (actor === undefined) return "system";
  return actor === target ? "user" : "operator";
}

/** Undefined for every other record. */
export function changeIn(entry: AuditEntry, timeMs: number): AccountChange | undefined {
  const { event = "", outcome, target = "", reason = "" } = entry;
  if (outcome !== "ok" || target === "" || !events.has(event)) return undefined;
  if (event === "session.end" && ordinaryEnds.has(reason)) return undefined;
  return { timeMs, event, reason: reason.slice(0, longestReason), by: byOf(entry) };
}

interface AccountChangesOptions extends HistoryStore {
  readonly nowMs: () => number;
  readonly onLost: (error: unknown) => void;
}

/** The latest changes of each account, for the timeline of its sign-ins. */
export function createAccountChanges(options: AccountChangesOptions) {
  const { redis, keyPrefix, nowMs, onLost } = options;
  const latest = createLatestRecords(options, AccountChange, accountChangesKey.ttlSeconds);
  const isMemoryShort = createMemoryWatch(redis);
  const keyOf = (account: string): string =>
    accountChangesKey.build(keyPrefix, digestOf(foldedName(account)).toString("base64url"));
  const write = async (account: string, change: AccountChange): Promise<void> => {
    if (!(await isMemoryShort())) await latest.add(keyOf(account), change);
  };
  return {
    /** Nothing waits for it: without Redis the change is missing here, and in the audit stream it is not. */
    note: (entry: AuditEntry): void => {
      const change = changeIn(entry, nowMs());
      if (change !== undefined && redis.status === "ready") write(entry["target"] ?? "", change).catch(onLost);
    },
    /** Those of the last 30 days, newest first. Rejects without Redis. */
    list: async (account: string): Promise<readonly AccountChange[]> => {
      const found = await latest.list(keyOf(account));
      const oldestMs = nowMs() - accountChangesKey.ttlSeconds * 1000;
      return newestFirst(found.filter(({ timeMs }) => timeMs >= oldestMs));
    },
  };
}

export type AccountChanges = ReturnType<typeof createAccountChanges>;
