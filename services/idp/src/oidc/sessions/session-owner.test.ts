import { expect, test } from "vitest";
import type { ListedSession } from "../../sessions/session-store-redis.ts";
import { createSubjectsOfAccount } from "../accounts/accounts.ts";
import type { OidcAccount } from "../accounts/accounts-redis.ts";
import type { ClientPolicies } from "../clients/clients.ts";
import { createOwnersOf } from "./session-owner.ts";

interface Known {
  /** The account of each subject. */
  readonly holders?: Readonly<Record<string, string>>;
  /** The subject of each account that is signed in. */
  readonly signedIn?: Readonly<Record<string, string>>;
  readonly clients?: readonly string[];
  /** The account that the backends find under a name. */
  readonly names?: Readonly<Record<string, string>>;
  readonly isComplete?: boolean;
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

function ownersWith({ holders = {}, signedIn = {}, clients = [], names = {}, isComplete = true }: Known) {
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
    accountNames: async (name) => ({
      accounts: names[name] === undefined ? [] : [names[name]],
      isComplete,
      isDenied: false,
      spellings: [],
    }),
    accounts,
    subjectsOfAccount: createSubjectsOfAccount(accounts),
    sessions: {
      list: async (account) => (signedIn[account] === undefined ? [] : [session(account, signedIn[account])]),
    },
    policies: () => policies,
  });
}

const users = (...ids: readonly string[]) => ids.map((id) => ({ kind: "user", id }));

test("an account is found with all its subjects", async () => {
  const ownersOf = ownersWith({ holders: { u1: "alice", u2: "alice" }, signedIn: { alice: "u1" } });
  expect(await ownersOf("alice")).toEqual({ accounts: ["alice"], subjects: users("alice", "u1", "u2") });
});

test("a subject selects its account, and sessions whose account had that name earlier", async () => {
  const ownersOf = ownersWith({ holders: { u1: "alice" } });
  expect(await ownersOf("u1")).toEqual({ accounts: ["u1", "alice"], subjects: users("u1", "alice") });
});

test("a name selects the account with that name, not the account with an equal subject", async () => {
  const ownersOf = ownersWith({ holders: { bob: "alice", u7: "bob" }, signedIn: { bob: "u7" } });
  expect(await ownersOf("bob")).toEqual({ accounts: ["bob"], subjects: users("u7") });
});

test("a name without an account selects only itself", async () => {
  expect(await ownersWith({})("nobody")).toEqual({ accounts: ["nobody"], subjects: users("nobody") });
});

test("a name in another spelling selects the account that the backends find under it", async () => {
  const ownersOf = ownersWith({ names: { ALICE: "alice" }, holders: { u1: "alice" }, signedIn: { alice: "u1" } });
  expect(await ownersOf("ALICE")).toEqual({ accounts: ["ALICE", "alice"], subjects: users("ALICE", "alice", "u1") });
});

test("while a backend cannot say whose a name is, it is not unknown", async () => {
  await expect(ownersWith({ isComplete: false })("ALICE")).rejects.toThrow("could not be looked up");
});

test("a client is selected by its name if no user has that name, and always by its name with the prefix", async () => {
  const free = ownersWith({ clients: ["tool"] });
  expect((await free("tool")).subjects).toEqual([...users("tool"), { kind: "client", id: "tool" }]);
  const taken = ownersWith({ clients: ["tool"], holders: { tool: "tool" } });
  expect((await taken("tool")).subjects).toEqual(users("tool"));
  expect(await taken("client:tool")).toEqual({ accounts: [], subjects: [{ kind: "client", id: "tool" }] });
});

test("the prefix does not select an unregistered client", async () => {
  expect(await ownersWith({})("client:tool")).toEqual({ accounts: ["client:tool"], subjects: users("client:tool") });
});
