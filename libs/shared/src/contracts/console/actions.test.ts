import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anyScopeOf } from "../../platform/http/route-scopes.ts";
import { operation } from "../operations.ts";
import {
  type ConsoleAction,
  type ConsoleActionId,
  consoleActions,
  consoleRoles,
  isConsoleAction,
  mayAct,
  scopesOfRole,
} from "./actions.ts";
import { consolePages } from "./pages.ts";

const ids = Object.keys(consoleActions).filter((id) => isConsoleAction(id));
const rules = [
  { resetsFactors: false, offersLostPhone: false },
  { resetsFactors: true, offersLostPhone: true },
];

test.each(ids)("every role that may do %s has a scope that its operation accepts", (id) => {
  const { method, path } = operation(consoleActions[id].operation);
  const accepted = anyScopeOf(method.toUpperCase(), path);
  expect(accepted).toContain(consoleActions[id].scope);
  for (const rule of rules) {
    for (const role of consoleRoles.filter((one) => mayAct({ role: one }, id, rule))) {
      expect(scopesOfRole(role, rule)).toContain(consoleActions[id].scope);
    }
  }
});

const allowed = (role: (typeof consoleRoles)[number], resetsFactors: boolean): readonly ConsoleActionId[] =>
  ids.filter((id) => mayAct({ role }, id, { resetsFactors, offersLostPhone: true }));

test("the role helpdesk changes second factors only where the site allows it", () => {
  expect(allowed("helpdesk", false)).toEqual(["unban", "flush", "unlock", "forget-devices"]);
  expect(allowed("helpdesk", true)).toEqual([
    "unban",
    "flush",
    "unlock",
    "forget-devices",
    "lost-phone",
    "reset-totp",
    "reset-recovery",
    "remove-passkey",
    "remove-app-password",
  ]);
  expect(scopesOfRole("helpdesk", { resetsFactors: false })).toEqual(["security"]);
});

test("no role creates a lost-phone code unless the site offers it", () => {
  expect(consoleRoles.map((role) => mayAct({ role }, "lost-phone", { resetsFactors: true }))).toEqual([
    false,
    false,
    false,
  ]);
});

test("an operator of one domain acts on accounts only, and admits nobody to the console", () => {
  const rule = { resetsFactors: true, offersLostPhone: true };
  expect(ids.filter((id) => !mayAct({ role: "admin", domain: "a.test" }, id, rule))).toEqual(["unban", "invite"]);
});

test("a higher role may do everything that a lower one may", () => {
  for (const { resetsFactors } of rules) {
    const [helpdesk, security, admin] = consoleRoles.map((role) => allowed(role, resetsFactors));
    expect(security).toEqual(expect.arrayContaining([...(helpdesk ?? [])]));
    expect(admin).toEqual(expect.arrayContaining([...(security ?? [])]));
  }
});

test("the guide has the same pages with the same roles, and no others", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../../../docs/operate/console.md"), "utf8");
  const [, section = ""] = guide.split("## Pages\n");
  const [table = ""] = section.split("\n## ");
  const rows = [...table.matchAll(/^\| ([^|]+) \| `(\w+)` \|/gmu)].map(([, title, role]) => [title, role]);
  expect(rows).toEqual(Object.values(consolePages).map(({ title, role }) => [title, role]));
});

test("the guide has the same actions, roles, operations and scopes", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../../../docs/operate/console.md"), "utf8");
  const rows = Object.values(consoleActions).map((action: ConsoleAction) => {
    const role =
      action.helpdeskIfAllowed === true ? `\`${action.role}\`, or \`helpdesk\` if allowed` : `\`${action.role}\``;
    const proof = action.needsProof === true ? "yes" : "no";
    return `| ${action.label} | ${action.target} | ${role} | ${proof} | \`${action.operation}\`, \`${action.scope}\` |`;
  });
  for (const row of rows) expect(guide).toContain(row);
  const [, section = ""] = guide.split("## Roles and actions\n");
  const [table = ""] = section.split(/\n(?!\|)(?=\S)/u);
  expect(table.match(/^\| /gmu)).toHaveLength(rows.length + 1);
});
