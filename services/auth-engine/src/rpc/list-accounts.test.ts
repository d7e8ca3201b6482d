import type { ListAccountsReply, ListAccountsRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Directory } from "../directories/directory.ts";
import { createListAccounts } from "./list-accounts.ts";
import { formatListCursor, parseListCursor } from "./list-cursor.ts";

const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

interface Listed {
  readonly directory: Directory;
  readonly ended: string[];
}

/** A directory with these names, or none that it lists, or one that fails at its second page. */
function listed(name: string, names: readonly string[] | "not_served" | "fails", isHeld = false): Listed {
  const ended: string[] = [];
  const directory: Directory = {
    kind: "test",
    name,
    verify: async () => ({ kind: "not_served" }),
    lookup: async () => ({ kind: "not_served" }),
    listAccounts: async (_query, { position = "0", limit }) => {
      if (names === "not_served") return { kind: "not_served" };
      if (names === "fails" && position !== "0") throw new AppError("DIRECTORY_UNAVAILABLE");
      const all = names === "fails" ? ["a", "b", "c", "d"] : names;
      const end = Number(position) + limit;
      const next = end < all.length ? { text: String(end), isHeld } : undefined;
      return { kind: "ok", accounts: all.slice(Number(position), end), next };
    },
    endListing: (position) => void ended.push(position),
    spendVerification: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
  return { directory, ended };
}

function engine(directories: () => readonly Listed[]) {
  return createListAccounts({
    directories: () => directories().map(({ directory }) => directory),
    instance: "0123456789abcdef",
    observe: () => undefined,
    onUndecided: () => undefined,
  });
}

const first: ListAccountsRequest = { session: "7d3f", protocol: "imap", limit: 2 };

/** Each page from another engine, as the bus would choose. */
async function listAll(directories: readonly Listed[]): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const request = cursor === undefined ? first : { ...first, cursor };
    const reply: ListAccountsReply = await engine(() => directories)(request, context);
    names.push(...reply.accounts);
    ({ cursor } = reply);
  } while (cursor !== undefined);
  return names;
}

describe("a list of all directories", () => {
  test("they follow in the order of auth.backends.order, and what two have is listed twice", async () => {
    const directories = [
      listed("sql", ["b", "a", "c"]),
      listed("none", "not_served"),
      listed("empty", []),
      listed("ldap", ["a", "d"]),
      listed("last", "not_served"),
    ];
    expect(await listAll(directories)).toEqual(["b", "a", "c", "a", "d"]);
  });

  test("one that fails fails the list", async () => {
    await expect(listAll([listed("sql", ["a"]), listed("ldap", "fails")])).rejects.toThrow("DIRECTORY_UNAVAILABLE");
  });

  test("with no directory that lists there is no list, not an empty one", async () => {
    await expect(listAll([])).rejects.toThrow("DIRECTORY_NOT_CONFIGURED");
    await expect(listAll([listed("sql", "not_served")])).rejects.toThrow("DIRECTORY_NOT_CONFIGURED");
  });

  test("other directories than those it began with fail it", async () => {
    let directories = [listed("sql", ["a", "b", "c"]), listed("ldap", ["d"])];
    const answer = engine(() => directories);
    const { cursor = "" } = await answer(first, context);
    directories = directories.toReversed();
    await expect(answer({ ...first, cursor }, context)).rejects.toThrow("the directories changed");
  });

  test("names the engine only where that engine alone has the next page", async () => {
    const answer = engine(() => [listed("ldap", ["a", "b", "c"], true), listed("sql", ["d", "e", "f"])]);
    const page = await answer(first, context);
    expect(page).toMatchObject({ accounts: ["a", "b"], instance: "0123456789abcdef" });
    const second = await answer({ ...first, cursor: page.cursor ?? "" }, context);
    expect(second).toEqual({ accounts: ["c"], cursor: expect.any(String) });
  });

  test("a limit of 0 ends it", async () => {
    const ldap = listed("ldap", ["a", "b", "c"], true);
    const answer = engine(() => [ldap]);
    const { cursor = "" } = await answer(first, context);
    expect(await answer({ ...first, cursor, limit: 0 }, context)).toEqual({ accounts: [] });
    expect(ldap.ended).toEqual(["2"]);
  });
});

test("a cursor is read as it was written, and anything else is refused", () => {
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
