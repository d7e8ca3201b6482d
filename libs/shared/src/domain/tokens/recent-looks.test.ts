import { expect, test } from "vitest";
import { createRecentLooks } from "./recent-looks.ts";

function fixture(options: { readonly timeoutMs?: number } = {}) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const errors: unknown[] = [];
  const answers: PromiseWithResolvers<number>[] = [];
  const looks = createRecentLooks({
    read: () => {
      const answer = Promise.withResolvers<number>();
      answers.push(answer);
      return answer.promise;
    },
    clock,
    ttlMs: 1000,
    timeoutMs: 1000,
    maxEntries: 10,
    onError: (error) => errors.push(error),
    ...options,
  });
  return { clock, errors, answers, looks };
}

test("concurrent callers share one read, and later ones are answered from memory", async () => {
  const { answers, looks } = fixture();
  const pending = [looks.at("a"), looks.at("a"), looks.at("a")];
  answers[0]?.resolve(7);
  for (const answer of pending) expect(await answer).toBe(7);
  expect(answers).toHaveLength(1);
  expect(looks.at("a")).toBe(7);
});

test("a read that hangs is given up, and its late answer does not replace a newer one", async () => {
  const { answers, errors, looks, clock } = fixture({ timeoutMs: 20 });
  const pending = [looks.at("a"), looks.at("b")];
  for (const answer of pending) expect(await answer).toBeUndefined();
  expect(errors).toHaveLength(2);
  const again = looks.at("a");
  answers[2]?.resolve(2);
  expect(await again).toBe(2);
  answers[0]?.resolve(1);
  await answers[0]?.promise;
  expect(looks.at("a")).toBe(2);
  clock.nowMs = 1000;
  expect(looks.at("a")).toBeInstanceOf(Promise);
});
