import { Domains } from "@postern/shared/domain/domains";
import type { AuditEntry } from "@postern/shared/domain/history";
import { loadConfig } from "@postern/shared/platform/config";
import fc from "fast-check";
import { expect, test } from "vitest";
import { auditQueryIn } from "./audit-query.ts";
import { limitQuery } from "./get-audit.ts";
import { limitAudit } from "./limit-audit.ts";

function domainsOf(yaml: string): { readonly current: Domains } {
  const result = loadConfig({ text: `{ auth: { domains: ${yaml} } }`, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return { current: new Domains(result.config.auth.domains) };
}

const domains = domainsOf(
  "{ records: [{ name: a.test, aliases: [alias.test] }, { name: b.test }], default_domain: a.test, default: { enabled: true } }",
);
const someone = { method: "bearer", name: "x", scopes: [], clientIp: "192.0.2.1", session: "s" } as const;
const limited = { domains: ["a.test"] };
const base = { time: "2030-01-01T00:00:00Z", service: "admin", instance: "host-1", outcome: "ok" };

test("a caller that is not limited reads records as they are", async () => {
  const entry = { ...base, event: "signing_keys.rotate", actor: "root" };
  expect((await limitAudit({}, domains))(entry)).toBe(entry);
});

test.each([
  ["an own account", { event: "second_factor.add", actor: "ann@a.test", target: "ann@a.test" }, true],
  ["its alias", { event: "cache.flush", actor: "help@a.test", target: "ann@alias.test" }, true],
  ["an account elsewhere", { event: "second_factor.add", actor: "bob@b.test", target: "bob@b.test" }, false],
  ["an operator of the domain", { event: "console.sign_in", actor: "help@a.test" }, true],
  ["an operator of the site", { event: "console.sign_in", actor: "root@b.test" }, false],
  ["a network", { event: "console.action", actor: "help@a.test", target: "192.0.2.0/24" }, false],
  ["something that was typed", { event: "account.read", target: "bob" }, false],
  ["several names", { event: "account.read", target: "bob@b.test ann@a.test" }, false],
  ["a name with two domains", { event: "account.read", target: "bob@b.test@a.test" }, false],
  ["a filter", { event: "audit.read", target: "target=ann@a.test" }, false],
  ["a sign-in on the pages", { event: "user.login", account: "ann", target: "webmail" }, true],
  ["one that failed for nobody", { event: "user.login", target: "ann@a.test" }, false],
  ["the site", { event: "configuration.reload", actor: "process" }, false],
  ["an event of another version", { event: "later.event", target: "ann@a.test" }, false],
])("a record about %s", async (_what, fields, isShown) => {
  const limit = await limitAudit(limited, domains);
  const shown = limit({ ...base, ...fields });
  expect(shown !== undefined).toBe(isShown);
  if (shown !== undefined) expect(shown["instance"]).toBe("");
});

test("of what somebody outside did, neither who, where, for which domains nor the words are shown", async () => {
  const limit = await limitAudit(limited, domains);
  const action = { ...base, event: "console.action", target: "ann@a.test", reason: "flush" };
  const outside = {
    actor: "reseller",
    actor_domain: "a.test,b.test",
    client_ip: "192.0.2.9",
    note: "as for bob@b.test",
  };
  expect(limit({ ...action, ...outside, domain: "a.test" })).toEqual({ ...action, instance: "", domain: "a.test" });
  const own = { actor: "help@a.test", actor_domain: "a.test", client_ip: "192.0.2.8", note: "ticket 7" };
  expect(limit({ ...action, ...own })).toEqual({ ...action, ...own, instance: "" });
});

test("no record shows a name of another domain", async () => {
  const limit = await limitAudit(limited, domains);
  const texts = fc.constantFrom(
    "bob@b.test",
    "bob",
    "ann@a.test",
    "x ann@a.test",
    "bob@b.test@a.test",
    "",
    "192.0.2.1",
  );
  const events = fc.constantFrom("account.read", "console.action", "user.login", "session.end", "consent.give", "x");
  fc.assert(
    fc.property(events, texts, texts, texts, (event, actor, target, account) => {
      const shown = limit({ ...base, event, actor, ...(event === "user.login" ? { account } : { target }) });
      expect(JSON.stringify(shown ?? {})).not.toContain("b.test");
    }),
  );
});

test("a filter by domain finds the records about its accounts and itself, by name and alias, and nothing that is not shown", async () => {
  const records: readonly AuditEntry[] = [
    { event: "second_factor.add", target: "ann@a.test", domain: "a.test" },
    { event: "session.end", target: "old@alias.test" },
    { event: "cache.flush", target: "bob@b.test", domain: "b.test" },
    { event: "domain.flush", target: "a.test", domain: "a.test" },
    { event: "console.sign_in", actor: "eve@b.test", note: "ann@a.test" },
    { event: "configuration.reload", actor: "process" },
  ];
  const found = async (domain: string, caller: { readonly domains?: readonly string[] }) => {
    const query = { ...auditQueryIn({ domain }) };
    const { matches } = await limitQuery(query, { ...someone, ...caller }, domains);
    return records.flatMap((record, index) => (matches({ ...base, ...record }) ? [index] : []));
  };
  expect([await found("A.test", {}), await found("alias.test", {}), await found("b.test", {})]).toEqual([
    [0, 1, 3],
    [0, 1, 3],
    [2, 4],
  ]);
  expect([await found("alias.test", limited), await found("b.test", limited)]).toEqual([[0, 1], []]);
  expect(() => auditQueryIn({ domain: "no domain" })).toThrow(expect.objectContaining({ code: "REQUEST_MALFORMED" }));
});

test("a limit without domains to compare with decides nothing", async () => {
  await expect(limitAudit(limited, { current: undefined })).rejects.toThrow("limited to domains");
});
