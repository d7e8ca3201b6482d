import { expect, test } from "vitest";
import { changeIn } from "./account-changes.ts";

const nowMs = 1_900_000_000_000;
const record = (event: string, more: Readonly<Record<string, string>> = {}) =>
  changeIn({ event, outcome: "ok", actor: "alice", target: "alice", ...more }, nowMs);

test("changes by users, by operators and by nobody; without names", () => {
  expect(record("second_factor.add", { reason: "totp" })).toEqual({
    timeMs: nowMs,
    event: "second_factor.add",
    reason: "totp",
    by: "user",
  });
  expect(record("account.suspend", { actor: "helen", note: "secret words" })).toMatchObject({
    by: "operator",
    reason: "",
  });
  expect(changeIn({ event: "second_factor.lock", outcome: "ok", target: "alice" }, nowMs)?.by).toBe("system");
});

test("what failed, reads, sign-ins and ordinary ends of sessions are no changes", () => {
  expect(record("second_factor.add", { outcome: "denied" })).toBeUndefined();
  expect(record("second_factor.add", { target: "" })).toBeUndefined();
  for (const event of ["account.read", "user.login", "console.action", "brute_force.flush", "risk.sign_in"])
    expect(record(event)).toBeUndefined();
  for (const reason of ["logout", "replaced", "saml"]) expect(record("session.end", { reason })).toBeUndefined();
  expect(record("session.end", { reason: "operator" })).toBeDefined();
});
