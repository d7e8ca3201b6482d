import type { Ok, OperatorRight } from "@postern/shared/contracts";
import { Domains } from "@postern/shared/domain/domains";
import { loadConfig } from "@postern/shared/platform/config";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createReadRight, isAbove, type RoleSettings, roleOf } from "./operator-right.ts";

const roles = { helpdesk: ["support"], security: ["soc"], admin: ["wheel", "root"] };
const byGroup: RoleSettings = { attribute: "", roles, backends: [] };
const byAttribute: RoleSettings = { ...byGroup, attribute: "employeeType" };

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
  const none: RoleSettings = { attribute: "", roles: { helpdesk: [], security: [], admin: [] }, backends: [] };
  expect(roleOf({ groups: ["", "admin"], attributes: {} }, none)).toBeUndefined();
});

function domainsOf(yaml: string): Domains {
  const result = loadConfig({ text: `{ auth: { domains: ${yaml} } }`, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return new Domains(result.config.auth.domains);
}

const domains = domainsOf(
  `{ records: [{ name: a.test, aliases: [alias.test], operators: { helpdesk: [desk], admin: [wheel, chief] } }, { name: b.test }, { name: off.test, enabled: false, operators: { admin: [wheel] } }], default: { enabled: true } }`,
);

const found = (account: string, backendName: string | undefined, ...groups: string[]) =>
  ({ account, groups, attributes: {}, ...(backendName !== undefined && { backendName }) }) satisfies Partial<Ok>;

type Case = readonly [what: string, account: ReturnType<typeof found>, right: OperatorRight | undefined];

test.each<Case>([
  ["a role of the site needs a listed backend", found("ann@a.test", "sql", "wheel"), { role: "admin" }],
  [
    "elsewhere the group is that of the domain",
    found("ann@a.test", "ldap(a)", "wheel"),
    { role: "admin", domain: "a.test" },
  ],
  [
    "the highest of the domain counts",
    found("ann@a.test", "ldap(a)", "desk", "chief"),
    { role: "admin", domain: "a.test" },
  ],
  ["an alias is its domain", found("ann@alias.test", "ldap(a)", "desk"), { role: "helpdesk", domain: "a.test" }],
  ["groups of the site mean nothing in a domain", found("ann@a.test", "ldap(a)", "soc", "root"), undefined],
  ["a record without operators has none", found("bob@b.test", "ldap", "wheel", "desk"), undefined],
  ["a domain without a record has none", found("cy@c.test", "ldap", "wheel", "desk"), undefined],
  ["a domain that is not enabled has none", found("off@off.test", "ldap", "wheel"), undefined],
  ["names without a domain have none", found("ann", "ldap", "wheel", "desk"), undefined],
])("%s", async (_what, account, right) => {
  const read = createReadRight(
    () => ({ ...byGroup, backends: ["sql"] }),
    () => domains,
  );
  expect(await read(account)).toEqual(right);
});

test("once domains have rules of their own, no backend assigns roles of the site unless it is listed", async () => {
  const account = found("bob@b.test", "sql", "wheel");
  const without = createReadRight(
    () => byGroup,
    () => undefined,
  );
  const withDomains = createReadRight(
    () => byGroup,
    () => domains,
  );
  expect([await without(account), await withDomains(account)]).toEqual([{ role: "admin" }, undefined]);
});

test("an engine that does not name the backend leaves the role undecided", async () => {
  const read = createReadRight(
    () => ({ ...byGroup, backends: ["sql"] }),
    () => domains,
  );
  await expect(read(found("ann@a.test", undefined, "wheel"))).rejects.toThrow(AppError);
});

const site = (role: OperatorRight["role"]): OperatorRight => ({ role });
const ofA = (role: OperatorRight["role"]): OperatorRight => ({ role, domain: "a.test" });

test.each<[OperatorRight, OperatorRight | undefined, boolean]>([
  [site("security"), site("security"), false],
  [site("security"), site("admin"), false],
  [site("admin"), site("security"), true],
  [site("helpdesk"), undefined, true],
  [ofA("helpdesk"), undefined, true],
  [ofA("admin"), ofA("security"), true],
  [ofA("security"), ofA("security"), false],
  [ofA("admin"), site("helpdesk"), false],
  [site("helpdesk"), ofA("admin"), false],
  [site("security"), ofA("admin"), false],
  [site("admin"), ofA("admin"), true],
  [ofA("admin"), ofA("admin"), false],
  [site("admin"), ofA("security"), true],
])("%o acts on an account with %o: %s", (operator, other, expected) => {
  expect(isAbove(operator, other)).toBe(expected);
});
