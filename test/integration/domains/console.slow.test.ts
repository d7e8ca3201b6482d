import { DatabaseSync } from "node:sqlite";
import { consoleActions, consoleRoutes, fillPath, isConsoleAction, operation } from "@postern/shared/contracts";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { auditLines, type ConsoleStack, startConsoleStack } from "../admin/console-stack.ts";
import { becomes, createDirectory, type Desk, openDesk, password, searchOf } from "./console-of-domains.ts";

const owned = new AsyncDisposableStack();
let desk: ConsoleStack;
let records: DatabaseSync;
/** Operators: of the site, of a.test with the lowest and the highest role, and of b.test, whose record is from the source. */
let ada: Desk;
let helen: Desk;
let dora: Desk;
let chief: Desk;
let bella: Desk;
/** References of sign-ins from the same address. */
const references = { ann: "", bob: "" };
const address = "198.51.100.7";

async function signIn(username: string, typed = password): Promise<string> {
  const { headers } = await askJson(desk.url.replace(/\d+$/u, String(desk.stack.httpPort)), {
    username,
    password: typed,
    protocol: "imap",
    client_ip: address,
  });
  return headers.get("x-service-session") ?? "";
}

beforeAll(async () => {
  const { path } = owned.use(await scratchFolder());
  const a = createDirectory(path, "a.test", { ann: "", dora: "desk", chief: "chief", mallory: "ada" });
  const b = createDirectory(path, "b.test", { bob: "", bella: "desk" });
  const file = createDirectory(path, "records", {});
  records = new DatabaseSync(file);
  records.exec("CREATE TABLE domains (name TEXT PRIMARY KEY, backends TEXT, operators TEXT)");
  records.exec(`INSERT INTO domains VALUES ('b.test', 'sql(b)', '{"helpdesk":["desk"]}')`);
  owned.defer(() => records.close());
  const query = "SELECT name, backends, operators FROM domains WHERE name = :domain";
  desk = owned.use(
    await startConsoleStack(
      {
        runtime: { console: { backends: ["sql"] } },
        auth: {
          domains: {
            records: [
              {
                name: "a.test",
                aliases: ["alias.test"],
                backends: ["sql(a)"],
                operators: { helpdesk: ["desk"], admin: ["chief"] },
              },
            ],
            default: { enabled: true },
            source: { kind: "sql", pool: "records", query, backends: ["sql(b)"], lifetime: "1s" },
          },
        },
      },
      {
        backends: {
          sql: {
            pools: { a: { file: a }, b: { file: b }, records: { file, busy_timeout: "1s" } },
            search: [searchOf("default"), searchOf("a"), searchOf("b")],
          },
        },
      },
    ),
  );
  // Sign-ins that fail have references.
  references.bob = await signIn("bob@b.test", "wrong-of-bob");
  references.ann = await signIn("ann@a.test", "wrong-of-ann");
  await signIn("bob@b.test");
  await signIn("ann@a.test");
  const browser = await sharedChromium();
  ada = await openDesk(browser, desk.url, "ada@example.test", "JBSWY3DPEHPK3PXE");
  helen = await openDesk(browser, desk.url, "helen@example.test", "JBSWY3DPEHPK3PXA");
  dora = await openDesk(browser, desk.url, "dora@a.test");
  chief = await openDesk(browser, desk.url, "chief@a.test");
  bella = await openDesk(browser, desk.url, "bella@b.test");
  await poll("the sign-ins are recorded", async () => (await ada.find("search", address)).includes("bob@b.test"));
});

afterAll(() => owned.disposeAsync());

/** The main part of a page, without what differs between two answers to the same question. */
function contentOf(html: string): string {
  const [, main = ""] = /<main id="content">(.*?)<\/main>/su.exec(html) ?? [];
  return main
    .replaceAll("<wbr>", "")
    .replaceAll(/for=[\w%-]+/gu, "for=")
    .replaceAll(/<time.*?<\/time>/gu, "<time>");
}

describe("who is an operator", () => {
  test("the site's operators come from its own backend, those of a domain from the record and for that domain only", () => {
    expect(ada.first).toContain("ada@example.test, admin");
    expect(dora.first).toContain("dora@a.test, helpdesk, a.test");
    expect(chief.first).toContain("chief@a.test, admin, a.test");
    expect(bella.first).toContain("bella@b.test, helpdesk, b.test");
  });

  test("a customer's directory that uses the site's words gets nobody in", async () => {
    const mallory = await openDesk(await sharedChromium(), desk.url, "mallory@a.test");
    expect(mallory.first).not.toContain("Overview");
    const lines = auditLines(desk, "console.sign_in").filter(({ actor }) => actor === "mallory@a.test");
    expect(new Set(lines.map(({ outcome, reason }) => `${outcome} ${reason}`))).toEqual(new Set(["denied no_role"]));
  });
});

const textOf = async (who: Desk, query: string): Promise<string> => (await who.get(`/console/domains${query}`)).text();

describe("what an operator of one domain sees", () => {
  test("the own account and its sign-ins, also by address and by reference", async () => {
    for (const page of ["search", "account"] as const) expect(await dora.find(page, "ann@a.test")).toContain(address);
    expect(contentOf(await dora.find("search", "ann"))).toContain("ann@a.test");
    expect(contentOf(await dora.find("search", "ann@alias.test"))).toContain("ann@a.test");
    expect(contentOf(await dora.find("search", references.ann))).toContain("This sign-in of ann@a.test failed");
    expect(contentOf(await dora.find("search", address))).toContain("ann@a.test");
    expect(contentOf(await bella.find("search", "bob@b.test"))).toContain(address);
  });

  test.each(["search", "account"] as const)("an account elsewhere looks like one that nobody has: %s", async (page) => {
    const ofOthers = ["bob@b.test", "ada@example.test"];
    for (const name of ofOthers) {
      const domain = name.slice(name.indexOf("@"));
      const [real, none] = [await dora.find(page, name), await dora.find(page, `nob${domain}`)];
      expect(contentOf(real).replaceAll(name, "X")).toBe(contentOf(none).replaceAll(`nob${domain}`, "X"));
    }
  });

  test("a sign-in elsewhere looks like one that never was", async () => {
    const none = "00000000-0000-4000-8000-000000000000";
    const [real, unknown] = [await dora.find("search", references.bob), await dora.find("search", none)];
    expect(contentOf(real).replaceAll(references.bob, none)).toBe(contentOf(unknown));
    expect(contentOf(await ada.find("search", references.bob))).toContain("This sign-in of bob@b.test failed");
  });

  test("a network's page has the part of the own accounts, and no counts of the others", async () => {
    // Without the operator's own searches, which the box at the top suggests.
    const href = async (who: Desk): Promise<string> => {
      const found = await who.find("search", address);
      const [link = ""] = /\/console\/network\?for=[\w%-]+/u.exec(found.slice(found.indexOf("<main"))) ?? [];
      return contentOf(await (await who.get(link)).text());
    };
    const [own, all] = [await href(dora), await href(ada)];
    expect(own).toContain("ann@a.test");
    expect(own).not.toContain("b.test");
    expect(own).not.toContain("<h2>Rules</h2>");
    expect(all).toContain("bob@b.test");
    expect(all).toContain("<h2>Rules</h2>");
    expect(contentOf(await dora.find("search", "198.51.100.0/24"))).not.toContain("b.test");
    expect(contentOf(await dora.find("search", "203.0.113.77"))).toContain("No sign-in of an account that you may see");
  });

  test("the record of the own domain, and of no other", async () => {
    expect(await textOf(dora, "")).toContain("alias.test");
    expect(await textOf(dora, "?name=alias.test")).toContain("sql(a)");
    expect(contentOf(await textOf(dora, "?name=b.test")).replaceAll("b.test", "X")).toBe(
      contentOf(await textOf(dora, "?name=no.test")).replaceAll("no.test", "X"),
    );
    expect(await textOf(bella, "")).toContain("The record is from auth.domains.source.");
    const all = await textOf(ada, "");
    expect([all.includes("a.test"), all.includes("?name=b.test")]).toEqual([true, false]);
    expect(await textOf(ada, "?name=b.test")).toContain("sql(b)");
    expect(await textOf(ada, "?name=c.test")).toContain("auth.domains.default applies");
  });
});

const isRoute = (id: string): id is keyof typeof consoleRoutes => Object.hasOwn(consoleRoutes, id);
const ofSite = new Set<string>([
  "bans",
  "clients",
  "system",
  "shadow",
  "security",
  "configuration",
  "rehearsal",
  "api",
]);

test("no route of the console shows an operator of one domain anything of another", async () => {
  const routes = Object.keys(consoleRoutes).filter((id) => isRoute(id));
  const answers = await Promise.all(
    routes
      .filter((id) => consoleRoutes[id] !== "everyone" && id !== "consoleSignOut")
      .map(async (id) => {
        const { method, path } = operation(id);
        const to = fillPath(path, { action: "flush" });
        const fields = { query: address, target: "ann@a.test", reason: "ticket 1", format: "jsonl", subject: address };
        const answer = method === "get" ? await chief.get(to) : await chief.post(to, fields);
        return { id, status: answer.status(), text: (await answer.text()).replaceAll("<wbr>", "") };
      }),
  );
  for (const { id, status, text } of answers) {
    expect([id, text.match(/[\w.]*@?(?:b|example)\.test/gu)]).toEqual([id, null]);
    if (ofSite.has(consoleRoutes[id])) expect([id, [403, 404].includes(status)]).toEqual([id, true]);
  }
  expect(answers.filter(({ status }) => status === 404).map(({ id }) => consoleRoutes[id])).toEqual(
    expect.arrayContaining(["bans", "clients", "system", "shadow", "configuration", "rehearsal", "api"]),
  );
});

const act = async (who: Desk, action: string, target: string) =>
  (await who.post(`/console/actions/${action}`, { target, reason: "ticket 7", item: "" })).status();

const shown = async (who: Desk): Promise<string> => contentOf(await who.find("search", "ann@a.test"));

describe("what an operator of one domain does", () => {
  test("acts on accounts of the domain below the own role, and on no others", async () => {
    expect(await act(dora, "flush", "ann@a.test")).toBe(303);
    expect(await act(dora, "flush", "ann@alias.test")).toBe(303);
    expect(await act(dora, "flush", "bob@b.test")).toBe(404);
    expect(await act(dora, "flush", "nob@b.test")).toBe(404);
    expect(await act(dora, "flush", "ada@example.test")).toBe(404);
    expect(await act(dora, "flush", "chief@a.test")).toBe(403);
    expect(await act(chief, "flush", "dora@a.test")).toBe(303);
    expect(await act(chief, "flush", "bella@b.test")).toBe(404);
    const lines = auditLines(desk, "console.action").filter(({ actor }) => actor === "dora@a.test");
    expect(lines[0]).toMatchObject({ outcome: "ok", target: "ann@a.test", domain: "a.test" });
    expect(lines.filter(({ target }) => target === "bob@b.test")).toEqual([
      expect.objectContaining({ outcome: "denied" }),
    ]);
  });

  test("the site's operators outrank those of domains by role, and its administrators all of them", async () => {
    expect(await act(helen, "flush", "dora@a.test")).toBe(403);
    expect(await act(ada, "flush", "chief@a.test")).toBe(303);
    expect(await act(helen, "flush", "ann@a.test")).toBe(303);
    expect(await act(ada, "flush", "dora@a.test")).toBe(303);
  });

  test("leaves what the site has suspended in force, and does not learn who suspended it", async () => {
    await act(ada, "suspend", "ann@a.test");
    expect(await shown(chief)).toContain("An operator suspended the account");
    for (const action of ["resume", "suspend"]) expect(await act(chief, action, "ann@a.test")).toBe(400);
    expect(await shown(ada)).toContain("ada@example.test suspended the account");
    await act(ada, "resume", "ann@a.test");
    await act(chief, "suspend", "ann@a.test");
    for (const who of [ada, chief]) expect(await shown(who)).toContain("chief@a.test suspended the account");
    await act(chief, "resume", "ann@a.test");
    expect(await shown(ada)).not.toContain("suspended the account");
  });

  test("no action on a network, and no invitation", async () => {
    const ids = Object.keys(consoleActions).filter((id) => isConsoleAction(id));
    expect(await act(chief, "unban", "198.51.100.0/24")).toBe(403);
    expect(await act(chief, "invite", "ann@a.test")).toBe(403);
    const page = await chief.find("account", "ann@a.test");
    const offered = ids.filter((id) => page.includes(`<summary>${consoleActions[id].label}<`));
    expect(offered).not.toContain("invite");
    expect(offered).toContain("flush");
  });

  test("a flush leaves the bans of the address, which protect other domains too", async () => {
    for (const typed of ["one", "two", "three", "four"]) await signIn("bob@b.test", typed);
    await signIn("ann@a.test", "wrong-of-ann");
    await poll("the address is banned", async () => (await ada.find("search", address)).includes("Blocked until"));
    expect(await act(dora, "flush", "ann@a.test")).toBe(303);
    expect(await ada.find("search", address)).toContain("Blocked until");
    expect(await act(helen, "flush", "bob@b.test")).toBe(303);
    await poll("the ban is gone", async () => !(await ada.find("search", address)).includes("Blocked until"));
  });
});

test("the audit page has what concerns the own accounts, without who and where the site's operators are", async () => {
  const text = async (who: Desk): Promise<string> => contentOf(await (await who.get("/console/audit")).text());
  await poll("the records are kept", async () => (await text(ada)).includes("helen@example.test"));
  await poll("the own records are kept", async () => (await text(chief)).includes("dora@a.test"));
  const own = await text(chief);
  expect(own).toContain('<td data-column="Event">');
  expect(own.match(/[\w.]*@?(?:b|example)\.test/gu)).toBeNull();
  const filtered = await chief.post("/console/audit", { actor: "helen" });
  expect(contentOf(await filtered.text())).not.toContain('<td data-column="Event">');
  expect((await dora.get("/console/audit")).status()).toBe(403);
});

test("an operator whose domain has no record any more is out at the next request", async () => {
  expect((await bella.get("/console/search")).status()).toBe(200);
  records.exec("DELETE FROM domains");
  await becomes(bella, "/console/search", 403);
  await becomes(bella, "/console/search", 303);
  expect(auditLines(desk, "console.sign_out").map(({ actor, reason }) => [actor, reason])).toContainEqual([
    "bella@b.test",
    "no_role",
  ]);
});
