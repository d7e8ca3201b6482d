import { expect, test } from "vitest";
import { recoveryFactor } from "./code-factors.ts";

test("a browser that leaves does not end the redemption of a recovery code, so that the second of two submissions succeeds too", async () => {
  const left = new AbortController();
  const signals: AbortSignal[] = [];
  const parts = {
    store: {
      redeemRecoveryCode: async (_account: string, _code: string, { signal }: { readonly signal: AbortSignal }) => {
        signals.push(signal);
        return true;
      },
    },
    guard: {
      redeemOnce: async (_code: unknown, redeem: () => Promise<boolean>) => {
        await redeem();
        return "redeemed" as const;
      },
    },
  };
  const context = { session: "s", deadline: 0, signal: left.signal };
  left.abort();
  const verified = await recoveryFactor(parts).verify("alice", "AAAA-BBBB", context, "flow");
  expect([verified, signals.map(({ aborted }) => aborted)]).toEqual([
    { kind: "recovery", part: "", isRepeated: false },
    [false],
  ]);
});
