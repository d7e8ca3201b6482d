import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CircuitBreaker, createCircuitBreaker } from "./circuit-breaker.ts";

const settings = { failureThreshold: 3, cooldownMs: 1000, halfOpenMax: 2 };

function build(): { breaker: CircuitBreaker; readonly advance: (ms: number) => void } {
  let now = 0;
  const breaker = createCircuitBreaker(settings, { now: () => now });
  return {
    breaker,
    advance: (ms) => {
      now += ms;
    },
  };
}

function opened(): ReturnType<typeof build> {
  const built = build();
  for (let failure = 0; failure < settings.failureThreshold; failure += 1) built.breaker.failed();
  return built;
}

describe("the circuit breaker", () => {
  it("opens after the threshold of consecutive failures, and not before", () => {
    const { breaker } = build();
    breaker.failed();
    breaker.failed();
    breaker.succeeded();
    breaker.failed();
    breaker.failed();
    expect(breaker.state()).toBe("closed");
    breaker.failed();
    expect(breaker.state()).toBe("open");
    expect(breaker.tryPass()).toBe(false);
  });

  it("allows only the trials after the cooldown, and closes at the first success", () => {
    const { breaker, advance } = opened();
    advance(999);
    expect(breaker.tryPass()).toBe(false);
    advance(1);
    expect([breaker.tryPass(), breaker.tryPass(), breaker.tryPass()]).toEqual([true, true, false]);
    breaker.succeeded();
    expect(breaker.state()).toBe("closed");
    expect(breaker.tryPass()).toBe(true);
  });

  it("starts the cooldown again when a trial fails", () => {
    const { breaker, advance } = opened();
    advance(1000);
    expect(breaker.tryPass()).toBe(true);
    breaker.failed();
    expect(breaker.state()).toBe("open");
    advance(999);
    expect(breaker.state()).toBe("open");
    advance(1);
    expect(breaker.tryPass()).toBe(true);
  });

  it("ignores results of operations that began before it opened", () => {
    const { breaker, advance } = opened();
    breaker.succeeded();
    expect(breaker.state()).toBe("open");
    advance(600);
    breaker.failed();
    advance(400);
    expect(breaker.state()).toBe("half_open");
  });

  it("opens immediately when tripped and closes immediately when the server has recovered", () => {
    const { breaker } = build();
    breaker.trip();
    expect(breaker.state()).toBe("open");
    breaker.recovered();
    expect(breaker.state()).toBe("closed");
    expect(breaker.failures).toBe(0);
  });

  it("never allows more than the trials between opening and the next success", () => {
    const step = fc.oneof(
      fc.constant("pass" as const),
      fc.constant("succeed" as const),
      fc.constant("fail" as const),
      fc.integer({ min: 1, max: 1500 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const { breaker, advance } = build();
        let passed = 0;
        let passedWhileOpen = 0;
        for (const step of steps) {
          const before = breaker.state();
          if (typeof step === "number") advance(step);
          else if (step === "succeed") breaker.succeeded();
          else if (step === "fail") breaker.failed();
          else if (breaker.tryPass() && before !== "closed") passed += 1;
          if (before === "open") passedWhileOpen += passed;
          // The count restarts whenever the breaker opens or closes.
          if (breaker.state() === "closed" || (before !== "open" && breaker.state() === "open")) passed = 0;
          expect({ passedWhileOpen, tooMany: passed > settings.halfOpenMax }).toEqual({
            passedWhileOpen: 0,
            tooMany: false,
          });
        }
      }),
    );
  });
});
