import type { RecordedDecision } from "@postern/shared/domain/history";
import { expect, test } from "vitest";
import { createRecentSignIns } from "./recent-sign-ins.ts";

const record = (fields: Partial<RecordedDecision>): RecordedDecision => ({
  timeMs: 1_795_000_000_000,
  firstMs: 1_795_000_000_000,
  count: 1,
  outcome: "ok",
  channel: "mail",
  account: "alice",
  username: "alice",
  clientIp: "192.0.2.7",
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  session: "s",
  instance: "",
  ...fields,
});

const locate = async () => ({
  state: "known" as const,
  placeOf: (address: string) => (address === "192.0.2.7" ? { country: "DE" } : {}),
});

const signInsOf = (records: readonly RecordedDecision[]) =>
  createRecentSignIns({ ofAccount: async () => records }, locate)("alice");

test("successes are one for each program and network, with their days; failures are separate", async () => {
  const found = await signInsOf([
    record({ count: 3, days: [{ day: 20_775, count: 3 }], client: "Thunderbird" }),
    record({ clientIp: "192.0.2.8", count: 1, client: "Thunderbird", isAfterFailure: true }),
    record({ count: 2, days: [{ day: 20_774, count: 2 }], protocol: "smtp" }),
    record({ channel: "browser", protocol: "oidc", client: "webmail" }),
    record({ outcome: "denied", reason: "wrong_password", clientIp: "198.51.100.7", count: 4 }),
    record({ outcome: "blocked", reason: "banned", clientIp: "198.51.100.7" }),
    record({ outcome: "undecided", reason: "DIRECTORY_UNAVAILABLE" }),
  ]);
  expect(found?.successes).toMatchObject([
    { program: "Thunderbird", count: 4, days: [{ day: 20_775, count: 3 }], place: { country: "DE" } },
    { protocol: "smtp", count: 2 },
    { isBrowser: true, program: "" },
  ]);
  expect(found?.failures.map(({ result, count, place }) => [result, count, place])).toEqual([
    ["wrong", 4, {}],
    ["denied", 1, {}],
    ["undecided", 1, { country: "DE" }],
  ]);
});

test("sign-ins to an account whose name differs in letter case are not shown; a wrong second factor is no block", async () => {
  const found = await signInsOf([
    record({ account: "Alice", clientIp: "192.0.2.99" }),
    record({ account: "alice", outcome: "denied", reason: "wrong_code", step: "totp" }),
    record({ outcome: "blocked", reason: "wrong_password_before" }),
  ]);
  expect(found?.successes).toEqual([]);
  expect(found?.failures.map(({ result }) => result)).toEqual(["second_step", "wrong"]);
});

test("an attacker makes the page no longer than 30 failures", async () => {
  const many = Array.from({ length: 500 }, (_, index) =>
    record({ outcome: "denied", reason: "wrong_password", clientIp: `198.51.${index % 250}.7` }),
  );
  expect((await signInsOf(many))?.failures).toHaveLength(30);
});

test("no history is not an empty history, and Redis that does not answer is a temporary failure", async () => {
  expect(await createRecentSignIns(undefined, locate)("alice")).toBeUndefined();
  expect(await signInsOf([])).toEqual({ successes: [], failures: [] });
  const failing = createRecentSignIns({ ofAccount: () => Promise.reject(new Error("closed")) }, locate);
  await expect(failing("alice")).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
});
