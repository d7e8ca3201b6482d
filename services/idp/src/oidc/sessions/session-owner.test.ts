import { expect, test } from "vitest";
import type { ListedSession } from "../../sessions/session-store.ts";
import { createSubjectsOfAccount } from "../accounts/account-subjects.ts";
import type { OidcAccount } from "../accounts/accounts.ts";
import type { ClientPolicies } from "../clients/clients.ts";
import { createOwnersOf } from "./session-owner.ts";

interface Known {
  /** Subject, and the account that has it. */
  readonly holders?: Readonly<Record<string, string>>;
  /** Accounts that are signed in, with their subjects. */
  readonly signedIn?: Readonly<Record<string, string>>;
  readonly clients?: readonly string[];
}

const session = (account: string, accountId: string): ListedSession => ({
  lastSeenMs: 1,
  uid: account,
  sid: account,
  accountId,
  account,
  loginTs: 1,
  remember: false,
  iat: 1,
  exp: 2,
  authorizations: {},
});

function ownersWith({ holders = {}, signedIn = {}, clients = [] }: Known) {
  const accounts = {
    find: async (subject: string): Promise<OidcAccount | undefined> => {
      const account = holders[subject];
      return account === undefined ? undefined : { accountId: subject, account, attributes: {} };
    },
    subjectsOf: async (account: string) =>
      Object.entries(holders).flatMap(([subject, holder]) =>
        holder === account && subject !== account ? [subject] : [],
      ),
  };
  const policies: ClientPolicies = new Map(clients.map((id) => [id, Object({})]));
  return createOwnersOf({
    accounts,
    subjectsOfAccount: createSubjectsOfAccount(accounts),
    sessions: {
      list: async (account) => (signedIn[account] === undefined ? [] : [session(account, signedIn[account])]),
    },
    policies: () => policies,
  });
}

const users = (...ids: readonly string[]) => ids.map((id) => ({ kind: "user", id }));

test("an account comes with all its subjects", async () => {
  const ownersOf = ownersWith({ holders: { u1: "alice", u2: "alice" }, signedIn: { alice: "u1" } });
  expect(await ownersOf("alice")).toEqual({ accounts: ["alice"], subjects: users("alice", "u1", "u2") });
});

test("a subject leads to its account, and to sessions of its earlier name", async () => {
  const ownersOf = ownersWith({ holders: { u1: "alice" } });
  expect(await ownersOf("u1")).toEqual({ accounts: ["u1", "alice"], subjects: users("u1", "alice") });
});

test("an account whose name is another account's subject does not reach that account", async () => {
  const ownersOf = ownersWith({ holders: { bob: "alice", u7: "bob" }, signedIn: { bob: "u7" } });
  expect(await ownersOf("bob")).toEqual({ accounts: ["bob"], subjects: users("u7") });
});

test("a name without an account selects only itself", async () => {
  expect(await ownersWith({})("nobody")).toEqual({ accounts: ["nobody"], subjects: users("nobody") });
});

test("a client is reached by its name while no user has it, and by its prefix in any case", async () => {
  const free = ownersWith({ clients: ["tool"] });
  expect((await free("tool")).subjects).toEqual([...users("tool"), { kind: "client", id: "tool" }]);
  const taken = ownersWith({ clients: ["tool"], holders: { tool: "tool" } });
  expect((await taken("tool")).subjects).toEqual(users("tool"));
  expect(await taken("client:tool")).toEqual({ accounts: [], subjects: [{ kind: "client", id: "tool" }] });
});

test("the prefix names no client that is not registered", async () => {
  expect(await ownersWith({})("client:tool")).toEqual({ accounts: ["client:tool"], subjects: users("client:tool") });
});
