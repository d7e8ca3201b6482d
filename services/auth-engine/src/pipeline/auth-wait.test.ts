import fc from "fast-check";
import { expect, test } from "vitest";
import { authWaitSeconds, withAuthWait } from "./auth-wait.ts";

const settings = { waitDelay: 10, maxLoginAttempts: 15 };

test("the wait grows from 1 s at the first failure to wait_delay before the last, and is then 0", () => {
  const waits = Array.from({ length: 16 }, (_, index) => authWaitSeconds(index, settings));
  expect(waits).toEqual([1, 1, 2, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 9, 10, 0]);
});

test("wait_delay 0 disables the wait", () => {
  expect(authWaitSeconds(3, { ...settings, waitDelay: 0 })).toBeUndefined();
});

test("for any attempt and settings, the wait is between 1 and wait_delay until it is 0", () => {
  fc.assert(
    fc.property(
      fc.nat(1000),
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 1, max: 100 }),
      (attempt, waitDelay, max) => {
        const wait = authWaitSeconds(attempt, { waitDelay, maxLoginAttempts: max }) ?? -1;
        if (Math.max(1, attempt) >= max) expect(wait).toBe(0);
        else expect(wait >= 1 && wait <= waitDelay).toBe(true);
      },
    ),
  );
});

test.each([
  [7, 3, 7],
  [1, 3, 2],
  [0, 3, 0],
  [7, 15, 0],
])("another server asked for %i s, at attempt %i: %i s", (waitSeconds, attempt, expected) => {
  const denial = { outcome: "fail", reason: "remote_denied", waitSeconds, memoryCache: "miss" } as const;
  expect(withAuthWait(denial, attempt, settings)).toMatchObject({ waitSeconds: expected });
  expect(withAuthWait(denial, attempt, { ...settings, waitDelay: 0 })).toMatchObject({ waitSeconds });
});

test("only a denial carries a wait", () => {
  const denied = withAuthWait({ outcome: "fail", reason: "wrong_password", memoryCache: "miss" }, undefined, settings);
  expect(denied).toMatchObject({ waitSeconds: 1 });
  const undecided = withAuthWait({ outcome: "tempfail", code: "OVERLOADED", message: "x" }, 3, settings);
  expect(undecided).not.toHaveProperty("waitSeconds");
});
