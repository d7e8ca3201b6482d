import type { DecisionHistory } from "@postern/shared/domain/history";
import { expect, test, vi } from "vitest";
import { subjectOf } from "../subject.ts";
import { createExplainRisk, type ExplainRiskDeps } from "./explain-risk.ts";

const reference = "0f0f0f0f-0f0f";

test("a reference leads to its account only for callers that may learn of it", async () => {
  const found = { account: "bob@b.test", username: "bob@b.test" };
  const ofReference = vi.fn<DecisionHistory["ofReference"]>(async () => Object(found));
  const facts = vi.fn<ExplainRiskDeps["reviews"]["facts"]>(async () => undefined);
  const explain = createExplainRisk({
    reviews: { facts, list: async () => [] },
    history: { ofReference },
    accountNames: async () => ({ accounts: [], spellings: [], isComplete: true, isDenied: false }),
    settings: () => Object({ mode: "observe", learningMinutes: 1 }),
    clock: { now: () => 0 },
  });
  const subject = subjectOf(reference);
  if (subject.kind !== "reference") throw new Error("no reference");
  expect(await explain(reference, subject, () => true)).toMatchObject({ account: "bob@b.test", incomplete: [] });
  facts.mockClear();
  const hidden = await explain(reference, subject, (account) => account.endsWith("@a.test"));
  expect(hidden).not.toHaveProperty("account");
  expect(hidden.incomplete).toEqual([expect.stringContaining("no sign-in with this reference")]);
  expect(facts).not.toHaveBeenCalled();
});
