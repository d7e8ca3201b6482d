import fc from "fast-check";
import { expect, test } from "vitest";
import { SignIns } from "./signed-in.ts";

const windowMs = 1000;

const step = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.nat(700), fc.nat(3000)),
  network: fc.integer({ min: 1, max: 3 }),
  account: fc.integer({ min: 1, max: 4 }),
  under: fc.constantFrom("both", "first", "second"),
});

test("accounts that are kept once for two configurations count as if each kept its own", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = { at: 0, now: (): number => clock.at };
      const together = new SignIns(clock, windowMs);
      const views = [together.view(), together.view()] as const;
      const alone = [new SignIns(clock, windowMs).view(), new SignIns(clock, windowMs).view()] as const;
      for (const { afterMs, network, account, under } of steps) {
        clock.at += afterMs;
        if (under === "both") together.add([network], account);
        if (under === "first") views[0].add(network, account);
        if (under === "second") views[1].add(network, account);
        if (under !== "second") alone[0].add(network, account);
        if (under !== "first") alone[1].add(network, account);
        for (const index of [0, 1] as const) {
          expect(views[index].countOf(network)).toBe(alone[index].countOf(network));
          expect(views[index].mostOf(network)).toBe(alone[index].mostOf(network));
        }
      }
    }),
  );
});
