import fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig } from "../../platform/config/index.ts";
import { Domains } from "./domains.ts";

/** The domains of a site whose `auth.domains` is this YAML. */
function domainsOf(yaml: string): Domains {
  const result = loadConfig({ text: `{ auth: { domains: ${yaml} } }`, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return new Domains(result.config.auth.domains);
}

const record = "{ name: a.test, aliases: [b.test, bücher.test] }";

test.each([
  ["ann@a.test", "ann@a.test", "a.test"],
  ["ann@A.TEST", "ann@a.test", "a.test"],
  ["ann@b.test", "ann@a.test", "a.test"],
  ["ann@xn--bcher-kva.test", "ann@a.test", "a.test"],
  ["ann@BÜCHER.test", "ann@a.test", "a.test"],
  ["x@y@b.test", "x@y@a.test", "a.test"],
  ["ann@c.test", "ann@c.test", undefined],
  ["ann@sub.a.test", "ann@sub.a.test", undefined],
  ["ann@", "ann@", undefined],
  ["ann", "ann", undefined],
  ["", "", undefined],
])("%s is %s", async (typed, username, domain) => {
  const placed = await domainsOf(`{ records: [${record}] }`).place(typed);
  expect(placed.username).toBe(username);
  expect(placed.domain.isKnown ? placed.domain.name : undefined).toBe(domain);
});

test("a name without a domain takes the default domain, or has the rules of none", async () => {
  const own = domainsOf(`{ records: [${record}], default_domain: b.test }`);
  expect(await own.place("ann")).toMatchObject({ username: "ann@a.test", domain: { name: "a.test" } });
  const others = domainsOf(`{ records: [${record}], default: { enabled: true, protocols: [imap] } }`);
  const withoutRecord = { isKnown: true, origin: "default", protocols: new Set(["imap"]) };
  expect(await others.place("ann")).toMatchObject({ username: "ann", domain: { name: "", ...withoutRecord } });
  expect(await others.place("ann@C.test")).toMatchObject({
    username: "ann@c.test",
    domain: { name: "c.test", ...withoutRecord },
  });
});

test("placing a name again changes nothing", async () => {
  const all = domainsOf(`{ records: [${record}], default_domain: a.test, default: { enabled: true } }`);
  const domain = fc.oneof(fc.domain(), fc.constantFrom("a.test", "B.test", "bücher.test", "c.test", ""));
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.tuple(fc.string({ maxLength: 8 }), domain).map(([local, host]) => `${local}@${host}`),
  );
  await fc.assert(
    fc.asyncProperty(name, async (typed) => {
      const { username, domain: found } = await all.place(typed);
      expect(await all.place(username)).toEqual({ username, domain: found });
    }),
  );
});
