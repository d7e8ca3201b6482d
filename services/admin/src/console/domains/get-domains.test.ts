import { DomainPage } from "@postern/shared/contracts";
import { Domains } from "@postern/shared/domain/domains";
import { loadConfig } from "@postern/shared/platform/config";
import type { Caller } from "@postern/shared/platform/http";
import Fastify from "fastify";
import { Value } from "typebox/value";
import { expect, test } from "vitest";
import { englishText } from "../../texts/write-texts.ts";
import { domainsPage } from "./domains-page.ts";
import { getDomains } from "./get-domains.ts";

function domainsOf(yaml: string): Domains {
  const result = loadConfig({ text: `{ auth: { domains: ${yaml} } }`, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return new Domains(result.config.auth.domains);
}

const caller: Caller = { method: "bearer", name: "x", scopes: [], clientIp: "192.0.2.1", session: "s" };

async function answer(
  current: Domains | undefined,
  query: Readonly<Record<string, string>>,
  own?: readonly string[],
): Promise<DomainPage> {
  await using app = Fastify();
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request) => {
    request.caller = { ...caller, domains: own };
  });
  app.get("/", getDomains({ domains: { current } }));
  const body: unknown = (await app.inject({ url: "/", query })).json();
  if (!Value.Check(DomainPage, body)) throw new Error(`not as described: ${JSON.stringify(body)}`);
  return body;
}

const domains = domainsOf(
  "{ records: [{ name: c.test, enabled: false, message: Closed }, { name: a.test, aliases: [bücher.test], operators: { helpdesk: [desk] }, attributes: { tenant: seven } }, { name: b.test, protocols: [imap] }], default: { enabled: true } }",
);
const names = ({ domains: list }: DomainPage): readonly string[] => list.map(({ name }) => name);

test("all of the configuration, page by page, by name", async () => {
  const first = await answer(domains, { limit: "2" });
  expect([names(first), first.next, first.has_records, first.has_source]).toEqual([
    ["a.test", "b.test"],
    "b.test",
    true,
    false,
  ]);
  const second = await answer(domains, { limit: "2", cursor: first.next ?? "" });
  expect([names(second), second.next]).toEqual([["c.test"], undefined]);
});

test("one by name or alias, with the record in effect and where it is from", async () => {
  const found = await answer(domains, { name: "BÜCHER.test" });
  expect(found.domains).toEqual([
    expect.objectContaining({
      name: "a.test",
      origin: "records",
      operators: { helpdesk: ["desk"] },
      attributes: { tenant: ["seven"] },
    }),
  ]);
  expect((await answer(domains, { name: "other.test" })).domains).toEqual([
    expect.objectContaining({ name: "other.test", origin: "default", operators: {} }),
  ]);
});

test("a limited caller gets its own only, and of others the same as of none", async () => {
  expect(names(await answer(domains, {}, ["b.test"]))).toEqual(["b.test"]);
  expect(names(await answer(domains, { name: "b.test" }, ["b.test"]))).toEqual(["b.test"]);
  expect(await answer(domains, { name: "a.test" }, ["b.test"])).toEqual(
    await answer(domains, { name: "no.test" }, ["b.test"]),
  );
  expect(names(await answer(domains, { cursor: "b.test" }, ["b.test"]))).toEqual([]);
});

test("without records there is nothing to show", async () => {
  expect(await answer(undefined, {})).toEqual({ domains: [], has_records: false, has_source: false });
});

const textOf = (view: Parameters<typeof domainsPage>[0]): string => englishText(domainsPage(view).body);

test("the page says what decides, and escapes what customers wrote", async () => {
  const shown = textOf({ name: "a.test", answer: await answer(domains, { name: "a.test" }), isOfSite: true });
  expect(shown).toContain("bücher.test (xn--bcher-kva.test)");
  expect(shown).toContain("The record is in the configuration.");
  expect(shown).toContain("<dt>helpdesk</dt><dd>desk</dd>");
  const closed = textOf({ name: "", answer: await answer(domains, {}, ["c.test"]), isOfSite: false });
  expect(closed).toContain("Nobody of this domain may sign in.");
  expect(closed).not.toContain("<form");
  const hostile = textOf({
    name: "<script>",
    answer: await answer(domains, { name: "<script>" }, []),
    isOfSite: false,
  });
  expect(hostile).not.toContain("<script>");
});
