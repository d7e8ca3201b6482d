import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { systemClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { createRoleLookup } from "./role-lookup.ts";

const lookUp = (decision: AuthDecision) =>
  createRoleLookup(
    async () => ({ role: "admin" }),
    async () => decision,
    () => 1000,
    systemClock,
  )("Alice", "s");

test.each(["unknown_user", "domain"] as const)("a name that is denied because of %s has no role", async (reason) => {
  const decision = { outcome: "fail", reason, memoryCache: "miss" } as const;
  expect(await lookUp(decision)).toEqual({ account: "Alice", right: undefined, isUnknown: true });
});

test.each<AuthDecision>([
  { outcome: "tempfail", code: "DIRECTORY_UNAVAILABLE", message: "" },
  { outcome: "fail", reason: "account_disabled", memoryCache: "miss" },
  { outcome: "fail", reason: "policy", memoryCache: "miss" },
  { outcome: "blocked", rule: "r", memoryCache: "miss" },
])("a role that cannot be determined is never the absence of a role: $outcome", async (decision) => {
  await expect(lookUp(decision)).rejects.toThrow(AppError);
});
