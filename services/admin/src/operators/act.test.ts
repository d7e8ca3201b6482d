import { type ConsoleActionId, type ConsoleRole, consoleActions, isConsoleAction } from "@postern/shared/contracts";
import type { AuditRecord } from "@postern/shared/domain/audit";
import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { createAct } from "./act.ts";
import type { Operator } from "./operator.ts";
import type { ApiCall } from "./operator-api.ts";
import { createFindReach } from "./reach.ts";
import type { KnownAccount } from "./role-lookup.ts";

const me: Operator = {
  account: "me@example.test",
  role: "security",
  isRoleCurrent: true,
  isProved: true,
  clientIp: "192.0.2.1",
  session: "s",
  csrfToken: "t",
  cookie: "c",
};

const accounts: Readonly<Record<string, ConsoleRole | undefined>> = {
  "alice@example.test": undefined,
  "helen@example.test": "helpdesk",
  "sue@example.test": "security",
  "ada@example.test": "admin",
  "me@example.test": "security",
};

interface Overrides {
  readonly operator?: Partial<Operator>;
  readonly target?: string;
  readonly status?: number;
  readonly resetsFactors?: boolean;
  readonly isComplete?: boolean;
  readonly accountsOf?: (name: string) => readonly string[];
  readonly item?: string;
  readonly findRole?: (name: string) => Promise<KnownAccount>;
}

/** Names without a domain are aliases. */
async function knownAs(name: string): Promise<KnownAccount> {
  const account = name.includes("@") ? name : `${name}@example.test`;
  const role = accounts[account];
  return { account, right: role && { role } };
}

/** A backend that also ignores case and `+tag`, and knows `chief` by a search of another protocol than that of the sign-in pages. */
function namedBy(name: string): readonly string[] {
  const plain = name.toLowerCase().replace(/\+[^@]*/u, "");
  const account = plain === "chief" ? "ada@example.test" : plain.includes("@") ? plain : `${plain}@example.test`;
  return Object.hasOwn(accounts, account) ? [account] : [];
}

async function acted(id: ConsoleActionId, overrides: Overrides = {}) {
  const {
    operator = {},
    target = "alice@example.test",
    status = 200,
    resetsFactors = false,
    findRole = knownAs,
    item,
    isComplete = true,
    accountsOf = namedBy,
  } = overrides;
  const calls: ApiCall[] = [];
  const audited: AuditRecord[] = [];
  const act = createAct(
    createFindReach(findRole, async (name) => ({
      accounts: accountsOf(name),
      isComplete,
      isDenied: false,
      spellings: [],
    })),
    async (_operator, call) => {
      calls.push(call);
      return { status, body: undefined };
    },
    { record: (record) => audited.push(record) },
    () => ({ resetsFactors, offersLostPhone: true }),
  );
  const outcome = await act(
    { ...me, ...operator },
    {
      id,
      target,
      note: "ticket 7",
      ...(item !== undefined && { item }),
    },
  ).catch((error: unknown) => error);
  return { outcome, calls, audited };
}

test("an action is carried out and audited with actor, target and reason", async () => {
  const { outcome, calls, audited } = await acted("reset-totp");
  expect(outcome).toBe("done");
  expect(calls).toEqual([{ operation: "deleteTotpSecret", body: { username: "alice@example.test" } }]);
  const about = { actor: "me@example.test", target: "alice@example.test", reason: "reset-totp", note: "ticket 7" };
  expect(audited).toEqual([{ event: "console.action", outcome: "ok", clientIp: "192.0.2.1", session: "s", ...about }]);
});

test.each([
  ["sue@example.test", "target"],
  ["ada@example.test", "target"],
  ["me@example.test", "target"],
  ["me", "target"],
  ["ada", "target"],
  ["helen@example.test", "done"],
])("an operator of the role security who flushes %s: %s", async (target, expected) => {
  const { outcome, calls, audited } = await acted("flush", { target });
  expect(outcome).toBe(expected);
  expect(calls).toHaveLength(expected === "done" ? 1 : 0);
  expect(audited.map((record) => record.outcome)).toEqual([expected === "done" ? "ok" : "denied"]);
});

test("the account whose role was checked is changed, not the name that was typed", async () => {
  const { calls } = await acted("flush", { target: "alice" });
  expect(calls).toEqual([{ operation: "flushUserCache", body: { user: "alice@example.test" } }]);
});

const unknownTo = async (account: string) => ({ account, right: undefined, isUnknown: true }) as const;

test("an account that is disabled may have any role, so no operator acts on it; a name that no backend has is not an account", async () => {
  const [disabled, unknown] = [
    await acted("reset-totp", { findRole: unknownTo }),
    await acted("flush", { target: "nobody@example.test" }),
  ];
  expect([disabled.outcome, disabled.calls, unknown.outcome, unknown.calls]).toEqual(["target", [], "unknown", []]);
});

const accountActions = Object.keys(consoleActions)
  .filter((id) => isConsoleAction(id))
  .filter((id) => consoleActions[id].target !== "network");

/** U+FF41 and U+FF44 have the width of ideographs. */
const spellings = [
  "ada",
  "ADA@example.test",
  "ada+x@example.test",
  "chief",
  "\uff41da@example.test",
  "a\uff44a@EXAMPLE.test",
];

test.each(accountActions.flatMap((id) => spellings.map((target) => [id, target] as const)))(
  "%s for a higher operator, named %s, is refused, and calls nothing",
  async (id, target) => {
    // Only an admin invites, and not another admin.
    const operator = id === "invite" ? ({ role: "admin" } as const) : {};
    const { outcome, calls } = await acted(id, { target, item: "one", operator });
    expect([["target", "unknown"].includes(String(outcome)), calls]).toEqual([true, []]);
  },
);

const twoAccounts = (name: string): readonly string[] =>
  name === "alice@example.test" ? ["alice@example.test", "ada@example.test"] : namedBy(name);

test("an account whose alias is another account in another search counts with both roles", async () => {
  const { outcome, calls } = await acted("flush", { target: "alice", accountsOf: twoAccounts });
  expect([outcome, calls]).toEqual(["target", []]);
});

test("an account that differs from a higher operator's only by what counts ignore is not acted on", async () => {
  const twin = "Ada@example.test";
  const { outcome, calls } = await acted("flush", { target: twin, accountsOf: () => [twin] });
  expect([outcome, calls]).toEqual(["target", []]);
});

test("an action that needs a recent sign-in is not carried out without one", async () => {
  const { outcome, calls } = await acted("end-sessions", { operator: { isProved: false } });
  expect([outcome, calls]).toEqual(["proof", []]);
  expect((await acted("unlock", { operator: { isProved: false } })).outcome).toBe("done");
});

test("the role helpdesk resets factors only where the site allows it", async () => {
  const operator = { role: "helpdesk" } as const;
  expect((await acted("reset-totp", { operator })).outcome).toBe("role");
  expect((await acted("end-sessions", { operator, resetsFactors: true })).outcome).toBe("role");
  expect((await acted("reset-totp", { operator, resetsFactors: true })).outcome).toBe("done");
  const target = "helen@example.test";
  expect((await acted("reset-totp", { operator, resetsFactors: true, target })).outcome).toBe("target");
});

const undecided: readonly (readonly [string, Overrides])[] = [
  ["the operator's role is not current", { operator: { isRoleCurrent: false } }],
  ["the role of the target is unknown", { findRole: () => Promise.reject(new AppError("ENGINE_SILENT")) }],
  ["a backend cannot say whether it has the account", { isComplete: false }],
  ["the operation gives 500", { status: 500 }],
];

test.each([
  ["end-session", "deleteOidcSession", { path: { user_id: "alice@example.test", token: "one" } }],
  ["remove-passkey", "deleteUserPasskey", { body: { username: "alice@example.test", id: "one" } }],
  ["remove-app-password", "deleteUserAppPassword", { body: { username: "alice@example.test", id: "one" } }],
] as const)("%s acts on one thing of the account whose role was checked", async (id, operation, expected) => {
  const { outcome, calls, audited } = await acted(id, { target: "alice", item: "one" });
  expect([outcome, calls]).toEqual(["done", [{ operation, ...expected }]]);
  expect(audited).toMatchObject([{ target: "alice@example.test", item: "one", reason: id }]);
  expect((await acted(id, { item: "one", operator: { isProved: false } })).outcome).toBe("proof");
  expect((await acted(id, { item: "one", target: "me" })).outcome).toBe("target");
  expect((await acted(id, { item: "one", operator: { role: "helpdesk" } })).outcome).toBe("role");
});

test.each(undecided)("it is a temporary failure if %s", async (_why, overrides) => {
  const { outcome, audited } = await acted("flush", overrides);
  expect(outcome).toBeInstanceOf(AppError);
  expect(audited.map((record) => record.outcome)).toEqual(["undecided"]);
});

test("an operation that refuses is reported as not done", async () => {
  const { outcome, audited } = await acted("reset-recovery", { status: 400 });
  expect([outcome, audited.map((record) => record.outcome)]).toEqual(["failed", ["failed"]]);
});
