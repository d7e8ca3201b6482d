import { expect, test } from "vitest";
import { createRecentReads } from "./recent-reads.ts";

function fixture(options: { readonly timeoutMs?: number } = {}) {
  const clock = { nowMs: 0, now: () => clock.nowMs };
  const errors: unknown[] = [];
  const answers: PromiseWithResolvers<number>[] = [];
  const reads = createRecentReads({
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
  return { clock, errors, answers, reads };
}

test("concurrent callers share one read, and later ones are answered from memory", async () => {
  const { answers, reads } = fixture();
  const pending = [reads.at("a"), reads.at("a"), reads.at("a")];
  answers[0]?.resolve(7);
  for (const answer of pending) expect(await answer).toBe(7);
  expect(answers).toHaveLength(1);
  expect(reads.at("a")).toBe(7);
});

test("a read that hangs is abandoned, and its late result does not replace a newer one", async () => {
  const { answers, errors, reads, clock } = fixture({ timeoutMs: 20 });
  const pending = [reads.at("a"), reads.at("b")];
  for (const answer of pending) expect(await answer).toBeUndefined();
  expect(errors).toHaveLength(2);
  const again = reads.at("a");
  answers[2]?.resolve(2);
  expect(await again).toBe(2);
  answers[0]?.resolve(1);
  await answers[0]?.promise;
  expect(reads.at("a")).toBe(2);
  clock.nowMs = 1000;
  expect(reads.at("a")).toBeInstanceOf(Promise);
});
