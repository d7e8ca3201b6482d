import { expect, test } from "vitest";
import type { BruteForce, CountedFacts } from "../brute-force/brute-force.ts";
import { countFailure } from "../brute-force/brute-force-steps.ts";
import { attemptOf } from "../pipeline/attempt.ts";
import { stepDeps } from "../pipeline/testing/step-deps.ts";
import { verifyToken } from "./verify-token.ts";

const attempt = attemptOf({
  session: "7d3f",
  operation: "authenticate",
  dialect: "json",
  method: "oauthbearer",
  username: "alice",
  password: "tok.en",
  protocol: "imap",
  tls: false,
  memoryCache: true,
  sharedCache: true,
});

test.each([
  ["useless", 0],
  [undefined, 1],
] as const)("a token that is %s counts as a guess %i times", async (found, times) => {
  const counted: unknown[] = [];
  const facts: CountedFacts = { bruteForce: Object({}) };
  const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal, facts };
  const bruteForce: BruteForce = Object({
    countFailure: async (_attempt: unknown, guess: unknown) => counted.push(guess),
  });
  const deps = stepDeps({ backends: [], bruteForce, checkMailToken: async () => found });
  const decision = await verifyToken.run(attempt, context, deps);
  if (decision === undefined) throw new Error("no decision");
  expect(decision).toMatchObject({ outcome: "fail", reason: "bad_token" });
  expect(await countFailure.run(attempt, decision, context, deps)).toMatchObject({ reason: "bad_token" });
  expect(counted).toHaveLength(times);
});
