import type { ListAccountsReply, ListAccountsRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Backend } from "./backend.ts";
import { createListAccounts, formatListCursor, parseListCursor } from "./list-accounts.ts";

const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

interface Listed {
  readonly backend: Backend;
  readonly ended: string[];
}

/** A backend with these names, one that lists no accounts, or one that fails at its second page. */
function listed(name: string, names: readonly string[] | "not_served" | "fails", isOpenHere = false): Listed {
  const ended: string[] = [];
  const backend: Backend = {
    kind: "test",
    name,
    verify: async () => ({ kind: "not_served" }),
    lookup: async () => ({ kind: "not_served" }),
    listAccounts: async (_query, { position = "0", limit }) => {
      if (names === "not_served") return { kind: "not_served" };
      if (names === "fails" && position !== "0") throw new AppError("DIRECTORY_UNAVAILABLE");
      const all = names === "fails" ? ["a", "b", "c", "d"] : names;
      const end = Number(position) + limit;
      const next = end < all.length ? { text: String(end), isOpenHere } : undefined;
      return { kind: "ok", accounts: all.slice(Number(position), end), next };
    },
    endListing: (position) => void ended.push(position),
    spendVerification: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
  return { backend, ended };
}

function engine(backends: () => readonly Listed[]) {
  return createListAccounts({
    backends: () => backends().map(({ backend }) => backend),
    listableWithin: async ([backend]) => ({
      backends: backends().flatMap((one) => (one.backend.name === backend ? [one.backend] : [])),
      isWithin: (account) => account !== "b",
    }),
    engineId: "0123456789abcdef",
    observe: () => undefined,
    onUndecided: () => undefined,
  });
}

const first: ListAccountsRequest = { session: "7d3f", protocol: "imap", limit: 2 };

/** Requests each page from a different engine, as the bus may do. */
async function listAll(backends: readonly Listed[]): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const request = cursor === undefined ? first : { ...first, cursor };
    const reply: ListAccountsReply = await engine(() => backends)(request, context);
    names.push(...reply.accounts);
    ({ cursor } = reply);
  } while (cursor !== undefined);
  return names;
}

describe("a list of all backends", () => {
  test("backends are listed in the order of auth.backends.order, and an account of two backends appears twice", async () => {
    const backends = [
      listed("sql", ["b", "a", "c"]),
      listed("none", "not_served"),
      listed("empty", []),
      listed("ldap", ["a", "d"]),
      listed("last", "not_served"),
    ];
    expect(await listAll(backends)).toEqual(["b", "a", "c", "a", "d"]);
  });

  test("the list fails if one backend fails", async () => {
    await expect(listAll([listed("sql", ["a"]), listed("ldap", "fails")])).rejects.toThrow("DIRECTORY_UNAVAILABLE");
  });

  test("without a backend that lists accounts, the request is rejected rather than answered with an empty list", async () => {
    await expect(listAll([])).rejects.toThrow("DIRECTORY_NOT_CONFIGURED");
    await expect(listAll([listed("sql", "not_served")])).rejects.toThrow("DIRECTORY_NOT_CONFIGURED");
  });

  test("a list fails if the backends change before its next page", async () => {
    let backends = [listed("sql", ["a", "b", "c"]), listed("ldap", ["d"])];
    const answer = engine(() => backends);
    const { cursor = "" } = await answer(first, context);
    backends = backends.toReversed();
    await expect(answer({ ...first, cursor }, context)).rejects.toThrow("the backends changed");
  });

  test("a cursor contains an engine only if no other engine can return the next page", async () => {
    const answer = engine(() => [listed("ldap", ["a", "b", "c"], true), listed("sql", ["d", "e", "f"])]);
    const page = await answer(first, context);
    expect(page).toMatchObject({ accounts: ["a", "b"], instance: "0123456789abcdef" });
    const second = await answer({ ...first, cursor: page.cursor ?? "" }, context);
    expect(second).toEqual({ accounts: ["c"], cursor: expect.any(String) });
  });

  test("a caller that is limited to domains gets their accounts from their backends, in pages that may be short", async () => {
    const ldap = listed("ldap", ["a", "b", "c"], true);
    const answer = engine(() => [listed("sql", ["x"]), ldap]);
    const limited = { ...first, callerDomains: ["ldap"] };
    const { accounts, cursor = "" } = await answer(limited, context);
    expect(accounts).toEqual(["a"]);
    expect(await answer({ ...limited, cursor }, context)).toEqual({ accounts: ["c"] });
    await answer({ ...limited, cursor, limit: 0 }, context);
    expect(ldap.ended).toEqual(["2"]);
  });

  test("a limit of 0 ends the list", async () => {
    const ldap = listed("ldap", ["a", "b", "c"], true);
    const answer = engine(() => [ldap]);
    const { cursor = "" } = await answer(first, context);
    expect(await answer({ ...first, cursor, limit: 0 }, context)).toEqual({ accounts: [] });
    expect(ldap.ended).toEqual(["2"]);
  });
});

test("a cursor survives the round trip, and any other text is rejected", () => {
  const cursor = fc.record(
    { order: fc.string(), index: fc.nat(), position: fc.string() },
    { requiredKeys: ["order", "index"] },
  );
  fc.assert(
    fc.property(cursor, (written) => {
      expect(parseListCursor(formatListCursor(written))).toEqual(written);
    }),
  );
  for (const bad of ["", "{}", "[]", '["a",-1]', '["a",0.5]', "[1,0]", '["a",0,1]', "nonsense"]) {
    expect(() => parseListCursor(bad)).toThrow("REQUEST_MALFORMED");
  }
});
