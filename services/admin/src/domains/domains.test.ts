import { DomainList, DomainReport } from "@postern/shared/contracts";
import type { DomainCounts } from "@postern/shared/domain/domain-counts";
import { Domains, limitCallers } from "@postern/shared/domain/domains";
import { type Config, loadConfig } from "@postern/shared/platform/config";
import type { Caller } from "@postern/shared/platform/http";
import Fastify from "fastify";
import { Value } from "typebox/value";
import { expect, test } from "vitest";
import { domainsPage } from "../console/domains/domains-page.ts";
import { englishText } from "../texts/write-texts.ts";
import { shownDomainSettings } from "./domain-settings.ts";
import { getDomain, getDomains } from "./routes.ts";

const url = "/api/v1/domains";
const caller: Caller = { method: "bearer", name: "x", scopes: [], clientIp: "192.0.2.1", session: "s" };

function configOf(yaml: string): Config {
  const result = loadConfig({ text: `{ auth: { domains: ${yaml} } }`, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.config;
}

const site = configOf(
  "{ records: [{ name: c.test, enabled: false, message: Closed }, { name: a.test, aliases: [bücher.test], operators: { helpdesk: [desk] }, attributes: { tenant: seven } }, { name: b.test, protocols: [imap] }], default: { enabled: true } }",
);
const domains = new Domains(site.auth.domains);

/** Of each domain, as many successes as its name has characters. */
const countsOf = (name: string): DomainCounts => ({
  days: [
    { day: 20_000, ok: name.length, failed: 1 },
    { day: 20_001, ok: 0, failed: 2 },
  ],
  lastMs: 1_728_000_000_000,
  accountsSince: 19_990,
  accounts: { accounts: 3, second_factors: 2, app_passwords: 1 },
});
const away = new Error("Redis is away");
let isAway = false;

const readDomainCounts = async (counted: readonly string[]) => (isAway ? Promise.reject(away) : counted.map(countsOf));

/** What the operations say to a caller, of all domains or of its own. */
async function ask(current: Domains | undefined, path: string, own?: readonly string[]) {
  await using app = Fastify();
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request) => {
    request.caller = { ...caller, domains: own };
  });
  const context = { domains: { current }, live: { current: { domains: shownDomainSettings(site) } }, readDomainCounts };
  limitCallers(app, { ...context, logger: { info: () => undefined } });
  app.get(url, { config: { concerns: { of: "accounts" } } }, (request, reply) => getDomains(request, reply, context));
  const concerns = { of: "domain", in: "path", member: "name" } as const;
  app.get(`${url}/:name`, { config: { concerns } }, (request, reply) => getDomain(request, reply, context));
  const answer = await app.inject({ url: `${url}${path}` });
  const body: unknown = answer.json();
  return { status: answer.statusCode, body };
}

async function list(current: Domains | undefined, query = "", own?: readonly string[]): Promise<DomainList> {
  const { body } = await ask(current, query, own);
  if (!Value.Check(DomainList, body)) throw new Error(`not as described: ${JSON.stringify(body)}`);
  return body;
}

async function show(name: string, own?: readonly string[]): Promise<DomainReport> {
  const { body } = await ask(domains, `/${encodeURIComponent(name)}`, own);
  if (!Value.Check(DomainReport, body)) throw new Error(`not as described: ${JSON.stringify(body)}`);
  return body;
}

const textOf = (view: Parameters<typeof domainsPage>[0]): string => englishText(domainsPage(view).body);

const names = (answer: DomainList): readonly string[] => answer.domains.map(({ name }) => name);

test("all of the configuration, page by page", async () => {
  const first = await list(domains, "?limit=2");
  expect([names(first), first.next, first.has_records, first.source]).toEqual([
    ["a.test", "b.test"],
    "b.test",
    true,
    "none",
  ]);
  const second = await list(domains, `?limit=2&cursor=${first.next}`);
  expect([names(second), second.next]).toEqual([["c.test"], undefined]);
});

test("one by name or alias is as in the list, with the whole record", async () => {
  const [listed] = (await list(domains)).domains;
  const { record, ...found } = await show("BÜCHER.test");
  expect(found).toEqual({ ...listed, found_as: "alias" });
  expect(found).toMatchObject({ operators: { helpdesk: ["desk"] }, attributes: { tenant: ["seven"] } });
  expect(record).toMatchObject({ name: "a.test" });
  expect(await show("other.test")).toMatchObject({ name: "other.test", origin: "default", operators: {} });
});

test("a limited caller gets its own only, and of others the same as of none", async () => {
  expect(names(await list(domains, "", ["b.test"]))).toEqual(["b.test"]);
  expect((await show("b.test", ["b.test"])).name).toBe("b.test");
  expect(await ask(domains, "/a.test", ["b.test"])).toEqual(await ask(domains, "/no.test", ["b.test"]));
  expect(names(await list(domains, "?cursor=b.test", ["b.test"]))).toEqual([]);
});

test("sign-ins are those of domains with records, and for callers without a limit those of all others together", async () => {
  const { domains: listed, others } = await list(domains);
  expect(listed.map(({ sign_ins: signIns }) => signIns?.successes)).toEqual([6, 6, 6]);
  expect((await show("a.test")).sign_ins).toEqual({
    days: [
      { date: "2024-10-04", successes: 6, failures: 1 },
      { date: "2024-10-05", successes: 0, failures: 2 },
    ],
    successes: 6,
    failures: 3,
    last: "2024-10-04T00:00:00.000Z",
    accounts_since: "2024-09-24",
    accounts: 3,
    second_factors: 2,
    app_passwords: 1,
  });
  expect([others?.successes, others !== undefined && "accounts" in others]).toEqual([1, false]);
  expect(await list(domains, "", ["b.test"])).not.toHaveProperty("others");
  expect(await show("other.test")).not.toHaveProperty("sign_ins");
  expect((await list(undefined)).others).toBeUndefined();
});

test("while Redis does not answer, records are shown without sign-ins", async () => {
  isAway = true;
  const { domains: listed, others } = await list(domains);
  const one = await show("a.test");
  isAway = false;
  expect([listed.length, listed[0]?.sign_ins, others, one.sign_ins]).toEqual([3, undefined, undefined, undefined]);
  const text = textOf({ name: "a.test", report: one, isOfSite: true });
  expect(text).toContain("The sign-ins cannot be read at the moment.");
});

test("without records there is nothing to list, and every domain is decided by the site's order", async () => {
  expect(await list(undefined)).toMatchObject({ domains: [], has_records: false });
  expect((await ask(undefined, "/a.test")).body).toMatchObject({ origin: "none", enabled: true });
});

test("the page shows numbers and a chart of each domain, and all others in the last row", async () => {
  const all = textOf({ list: await list(domains), isOfSite: true });
  expect(all).toContain("All others together");
  expect(all.match(/<path class="mark c-ok"/gu)).toHaveLength(4);
  const one = textOf({ list: await list(domains, "", ["a.test"]), isOfSite: false });
  expect(one).toContain("6 successes, 3 refusals");
  expect(one).toContain("<dt>Second factors</dt><dd>2</dd>");
  expect(one).not.toContain("All others together");
});

test("the page says what decides, and escapes what customers wrote", async () => {
  const shown = textOf({ name: "a.test", report: await show("a.test"), isOfSite: true });
  expect(shown).toContain("bücher.test (xn--bcher-kva.test)");
  expect(shown).toContain("The record is in the configuration.");
  expect(shown).toContain("<dt>helpdesk</dt><dd>desk</dd>");
  const closed = textOf({ list: await list(domains, "", ["c.test"]), isOfSite: false });
  expect(closed).toContain("Nobody of this domain may sign in.");
  expect(closed).not.toContain("<form");
  expect(textOf({ name: "<script>", report: undefined, isOfSite: false })).not.toContain("<script>");
});
