import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { systemClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { createRoleLookup, isAbove, type RoleSettings, roleOf } from "./role-lookup.ts";

const roles = { helpdesk: ["support"], security: ["soc"], admin: ["wheel", "root"] };
const byGroup: RoleSettings = { attribute: "", roles };
const byAttribute: RoleSettings = { attribute: "employeeType", roles };

test.each([
  [byGroup, { groups: ["support"], attributes: {} }, "helpdesk"],
  [byGroup, { groups: ["support", "root"], attributes: {} }, "admin"],
  [byGroup, { groups: ["Support", "users"], attributes: { employeeType: ["root"] } }, undefined],
  [byGroup, { attributes: {} }, undefined],
  [byAttribute, { groups: ["root"], attributes: { employeetype: ["soc"] } }, "security"],
  [byAttribute, { groups: ["root"], attributes: {} }, undefined],
])("the role comes from the groups or the attribute, and the highest counts", (settings, account, expected) => {
  expect(roleOf(account, settings)).toBe(expected);
});

test("a site without roles has no operators", () => {
  const none: RoleSettings = { attribute: "", roles: { helpdesk: [], security: [], admin: [] } };
  expect(roleOf({ groups: ["", "admin"], attributes: {} }, none)).toBeUndefined();
});

test("an equal role is not above, and every role is above an account without one", () => {
  expect(isAbove("security", "security")).toBe(false);
  expect(isAbove("security", "admin")).toBe(false);
  expect(isAbove("admin", "security")).toBe(true);
  expect(isAbove("helpdesk", undefined)).toBe(true);
});

const lookUp = (decision: AuthDecision) =>
  createRoleLookup(
    () => byGroup,
    async () => decision,
    () => 1000,
    systemClock,
  )("Alice", "s");

test("an unknown name has no role", async () => {
  const decision = { outcome: "fail", reason: "unknown_user", memoryCache: "miss" } as const;
  expect(await lookUp(decision)).toEqual({ account: "Alice", role: undefined, isUnknown: true });
});

test.each<AuthDecision>([
  { outcome: "tempfail", code: "DIRECTORY_UNAVAILABLE", message: "" },
  { outcome: "fail", reason: "account_disabled", memoryCache: "miss" },
  { outcome: "fail", reason: "policy", memoryCache: "miss" },
  { outcome: "blocked", rule: "r", memoryCache: "miss" },
])("a role that cannot be determined is never the absence of a role: $outcome", async (decision) => {
  await expect(lookUp(decision)).rejects.toThrow(AppError);
});
