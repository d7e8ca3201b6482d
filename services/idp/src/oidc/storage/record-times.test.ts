import { expect, test } from "vitest";
import { createRecordTimes } from "./record-times.ts";

const hourSeconds = 3600;
const nowMs = 1_800_000_000_000;
const at = (ms: number) => ({ now: () => ms });
const replica = (aheadMs: number) => createRecordTimes({ own: at(nowMs + aheadMs), shared: at(nowMs) });

const interaction = {
  kind: "Interaction",
  iat: 1_800_000_000,
  exp: 1_800_000_600,
  result: { login: { accountId: "alice", ts: 1_800_000_010, amr: ["pwd"] }, select_account: {} },
  lastSubmission: { login: { accountId: "alice" } },
};

test("a replica an hour behind reads what a replica an hour ahead has stored, as if it had written it", () => {
  const [ahead, behind] = [replica(hourSeconds * 1000), replica(-hourSeconds * 1000)];
  const by = (seconds: number) => ({
    ...interaction,
    iat: interaction.iat + seconds,
    exp: interaction.exp + seconds,
    result: { ...interaction.result, login: { ...interaction.result.login, ts: 1_800_000_010 + seconds } },
  });
  const stored = ahead.toShared(by(hourSeconds));
  expect(stored).toEqual(interaction);
  expect(behind.toOwn(stored)).toEqual(by(-hourSeconds));
});

test("the times of a sign-in, of a first refresh token and of a use are converted; other members are not", () => {
  const record = { authTime: 1, iiat: 2, loginTs: 3, consumed: 4, jti: "id", remainingUses: 5, result: { error: "x" } };
  const expected = { ...record, authTime: 3601, iiat: 3602, loginTs: 3603, consumed: 3604 };
  expect(replica(hourSeconds * 1000).toOwn(record)).toEqual(expected);
});

test("where clocks differ by less than five seconds, records stay as they are", () => {
  for (const aheadMs of [-4900, 0, 4900]) {
    expect(replica(aheadMs).toShared(interaction)).toBe(interaction);
    expect(replica(aheadMs).ownSeconds(7)).toBe(7);
  }
});

test("single times are converted in both directions", () => {
  const times = replica(-hourSeconds * 1000);
  expect([times.ownSeconds(5000), times.sharedSeconds(5000)]).toEqual([1400, 8600]);
});
