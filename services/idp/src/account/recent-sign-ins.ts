import { knownNetworkOf } from "@postern/shared/domain/brute-force";
import type { DecisionHistory, RecordedDecision } from "@postern/shared/domain/history";
import type { Locate } from "@postern/shared/domain/places";
import { decidedInRedis } from "@postern/shared/platform/redis";
import type { RecentSignIn, RecentSignIns } from "../pages/templates/recent-sign-ins.ts";

/** More than a reader looks at; attackers cause failures. */
const maxListed = 30;
const decided = decidedInRedis("recorded sign-ins cannot be read");

const wrongPassword: ReadonlySet<string> = new Set(["wrong_password", "wrong_password_before"]);
const factorSteps: ReadonlySet<string> = new Set(["totp", "recovery", "webauthn", "lost_phone"]);

function resultOf({ outcome, reason, step }: RecordedDecision): RecentSignIn["result"] {
  if (outcome === "ok" || outcome === "undecided") return outcome;
  if (wrongPassword.has(reason)) return "wrong";
  return factorSteps.has(step) ? "second_step" : "denied";
}

/** Sign-ins with one program in one network, as one. Failures are listed as they are recorded. */
function kindOf({ channel, protocol, client, clientIp }: RecordedDecision): string {
  return [channel, protocol, client, knownNetworkOf(clientIp) ?? ""].join("\0");
}

function daysOf(records: readonly RecordedDecision[]): RecentSignIn["days"] {
  const counts = new Map<number, number>();
  for (const { day, count } of records.flatMap(({ days = [] }) => days))
    counts.set(day, (counts.get(day) ?? 0) + count);
  return [...counts].map(([day, count]) => ({ day, count })).toSorted((a, b) => b.day - a.day);
}

type Unplaced = Omit<RecentSignIn, "place">;

/** @param records newest first */
function asOne(records: readonly RecordedDecision[]): readonly Unplaced[] {
  const [latest] = records;
  if (latest === undefined) return [];
  const { timeMs, channel, protocol, client, clientIp } = latest;
  return [
    {
      atMs: timeMs,
      count: records.reduce((sum, { count }) => sum + count, 0),
      // An application's identifier says nothing to its user.
      program: channel === "mail" || channel === "mail_server" ? client : "",
      protocol,
      isBrowser: channel === "browser",
      clientIp,
      result: resultOf(latest),
      days: daysOf(records),
    },
  ];
}

/**
 * The recorded sign-ins of one account, for its user. Undefined: none are recorded.
 * @throws AppError REDIS_UNAVAILABLE if Redis cannot answer
 */
export function createRecentSignIns(history: Pick<DecisionHistory, "ofAccount"> | undefined, locate: Locate) {
  return async (account: string): Promise<RecentSignIns | undefined> => {
    if (history === undefined) return undefined;
    const recorded = await decided(() => history.ofAccount(account));
    // Backends that compare names exactly may have accounts whose names differ in letter case only; they share a place in the history.
    const records = recorded.filter((one) => one.account === undefined || one.account === account);
    const groups = Map.groupBy(
      records.filter(({ outcome }) => outcome === "ok"),
      kindOf,
    );
    const successes = [...groups.values()].flatMap(asOne).slice(0, maxListed);
    const failed = records.filter(({ outcome }) => outcome !== "ok").slice(0, maxListed);
    const failures = failed.flatMap((record) => asOne([record]));
    const { placeOf } = await locate([...successes, ...failures].map(({ clientIp }) => clientIp));
    const placed = (one: Unplaced): RecentSignIn => ({ ...one, place: placeOf(one.clientIp) });
    return { successes: successes.map(placed), failures: failures.map(placed) };
  };
}
