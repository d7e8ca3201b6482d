import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAccounts, beginAccounts, firstBytes, pagesRead, wholeBody } from "../../support/ask-accounts.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { ask, exampleDirectory, exampleLdif, within } from "../ldap/example-directory.ts";

const count = 5000;
/** Long names, so that the buffers of sockets hold only a part of the list. */
const padding = "x".repeat(3000);

let slapd: Slapd;

function manyPeople(): string {
  const people = Array.from({ length: count }, (_value, index) => {
    const uid = `u${String(index).padStart(5, "0")}`;
    return `dn: uid=${uid},ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
description: ${uid}${padding}
`;
  });
  return `${exampleLdif}\n${people.join("\n")}`;
}

beforeAll(async () => {
  const databaseConfig = 'limits dn.exact="cn=reader,dc=example,dc=test" size=unlimited';
  slapd = await spawnSlapd({ ldif: manyPeople(), databaseConfig });
});

afterAll(() => slapd[Symbol.asyncDispose]());

/** As slapd's log has them. */
function closedConnections(): number {
  return slapd.output().split(" closed").length - 1;
}

/** Reads from slapd's log on which connections accounts were listed, and how many of them are closed. */
function listingConnections(): { readonly opened: number; readonly closed: number } {
  const log = slapd.output();
  const opened = new Set([...log.matchAll(/conn=(\d+) op=\d+ SRCH .*filter=".*uid=u\*/g)].map(([, conn]) => conn));
  return {
    opened: opened.size,
    closed: [...opened].filter((conn) => new RegExp(`conn=${conn} fd=\\d+ closed`).test(log)).length,
  };
}

const search = { listAccountsFilter: "(&(objectClass=inetOrgPerson)(uid=u*))" };
const longer = { searchTimeoutMs: 5000 };

describe("a listing of an LDAP directory", () => {
  test("returns every account once, in pages of at most 1000", async () => {
    await using stack = new AsyncDisposableStack();
    const backend = exampleDirectory([slapd.uri], longer, search);
    stack.defer(() => backend.close());
    const names: string[] = [];
    let position: string | undefined;
    do {
      const page = await backend.listAccounts(ask(""), { position, limit: 2000 }, within(5000));
      if (page.kind !== "ok") throw new Error("not served");
      expect(page.accounts.length).toBeLessThanOrEqual(1000);
      names.push(...page.accounts);
      position = page.next?.text;
      expect(page.next?.isOpenHere ?? true).toBe(true);
    } while (position !== undefined);
    expect([names.length, new Set(names).size]).toEqual([count, count]);
  });

  test("ends normally if the last page is full", async () => {
    const filter = "(|(uid=u0000*)(uid=u0001*))";
    const backend = exampleDirectory([slapd.uri], longer, { listAccountsFilter: filter });
    let page = await backend.listAccounts(ask(""), { limit: 10 }, within(5000));
    let listed = 0;
    while (page.kind === "ok" && page.next !== undefined) {
      listed += page.accounts.length;
      page = await backend.listAccounts(ask(""), { limit: 10, position: page.next.text }, within(5000));
    }
    expect(listed).toBe(20);
    await backend.close();
  });

  test("fails at a server's size limit instead of ending the list", async () => {
    const anonymous = exampleDirectory([slapd.uri], { ...longer, bindDn: "" }, search);
    const first = await anonymous.listAccounts(ask(""), { limit: 400 }, within(5000));
    if (first.kind !== "ok" || first.next === undefined) throw new Error("no first page");
    const position = first.next.text;
    await expect(anonymous.listAccounts(ask(""), { limit: 400, position }, within(5000))).rejects.toThrow(
      "DIRECTORY_UNAVAILABLE",
    );
    await anonymous.close();
  });

  test("fails on this and every later page if the server dies", async () => {
    const backend = exampleDirectory([slapd.uri], longer, search);
    const first = await backend.listAccounts(ask(""), { limit: 100 }, within(5000));
    if (first.kind !== "ok" || first.next === undefined) throw new Error("no first page");
    const page = { limit: 100, position: first.next.text };
    await slapd.kill();
    await expect(backend.listAccounts(ask(""), page, within(5000))).rejects.toThrow("DIRECTORY_UNAVAILABLE");
    await slapd.start();
    await expect(backend.listAccounts(ask(""), page, within(5000))).rejects.toThrow("listing has expired");
    await backend.close();
  });

  test("keeps no more than eight open; ending one makes room", async () => {
    const backend = exampleDirectory([slapd.uri], longer, search);
    const positions: string[] = [];
    for (let open = 0; open < 8; open += 1) {
      const page = await backend.listAccounts(ask(""), { limit: 10 }, within(5000));
      if (page.kind === "ok" && page.next !== undefined) positions.push(page.next.text);
    }
    const another = () => backend.listAccounts(ask(""), { limit: 10 }, within(5000));
    await expect(another()).rejects.toThrow("DIRECTORY_OVERLOADED");
    backend.endListing(positions[0] ?? "");
    expect(await another()).toMatchObject({ kind: "ok" });
    await backend.close();
  });

  test("is not served for a protocol whose searches list no accounts", async () => {
    const backend = exampleDirectory([slapd.uri], longer);
    expect(await backend.listAccounts(ask(""), { limit: 10 }, within(5000))).toEqual({ kind: "not_served" });
    await backend.close();
  });
});

describe("mode=list-accounts from LDAP, through two engines", () => {
  let stack: Stack;

  beforeAll(async () => {
    const ldap = {
      default: {
        server_uri: [slapd.uri],
        bind_dn: "cn=reader,dc=example,dc=test",
        bind_pw: "reader-password",
      },
      search: [
        {
          protocol: ["account-provider"],
          cache_name: "mail",
          base_dn: "ou=people,dc=example,dc=test",
          filter: { user: "(uid=%s)", list_accounts: search.listAccountsFilter },
          mapping: { account_field: "description" },
        },
      ],
    };
    stack = await startStack({
      engines: 2,
      settings: { runtime: { timeouts: { decision: "5s" } } },
      backends: { order: ["ldap"], ldap },
    });
  });

  afterAll(() => stack[Symbol.asyncDispose]());

  test("every page comes from the engine that began the list", async () => {
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    expect((await wholeBody(response)).toString().split("\r\n")).toHaveLength(count);
    const pages = await Promise.all(stack.engines.map(pagesRead));
    expect(pages.toSorted((a, b) => a - b)).toEqual([0, expect.any(Number)]);
  });

  test("a client that disconnects frees the engine before the list is complete", async () => {
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    await firstBytes(response);
    // The engines' pools open connections too meanwhile, and close none.
    const before = closedConnections();
    response.destroy();
    await expect(poll("the listing to end", () => closedConnections() > before)).resolves.toBe(true);
  });

  test("a client that disconnects before its first page leaves no listing open", async () => {
    await poll("earlier listings to end", () => listingConnections().opened === listingConnections().closed);
    const { opened } = listingConnections();
    await slapd.pause();
    try {
      const { request, closed } = beginAccounts(stack.url);
      await poll("the gateway to read the page", async () =>
        /service_auth_in_flight 1$/m.test(await stack.gateway.metrics()),
      );
      request.destroy();
      await closed;
      // After one turn of the gateway's event loop, it has noticed the disconnect.
      await stack.gateway.metrics();
    } finally {
      slapd.resume();
    }
    await poll("the listing to begin", () => listingConnections().opened > opened);
    const isClosed = (): boolean => listingConnections().opened === listingConnections().closed;
    await expect(poll("the listing to end", isClosed)).resolves.toBe(true);
  });

  test("when the engine that began the list is killed, the connection is cut, although another engine is running", async () => {
    const before = await Promise.all(stack.engines.map(pagesRead));
    const response = await askAccounts(stack.url, { accept: "text/plain" });
    await firstBytes(response);
    const after = await Promise.all(stack.engines.map(pagesRead));
    const serving = stack.engines.find((_engine, index) => after[index] !== before[index]);
    serving?.signal("SIGKILL");
    await expect(wholeBody(response)).rejects.toThrow(/aborted|ECONNRESET/);
    const next = await askAccounts(stack.url, { accept: "text/plain" });
    expect((await wholeBody(next)).toString().split("\r\n")).toHaveLength(count);
  });
});
