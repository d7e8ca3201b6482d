import { Domains } from "@postern/shared/domain/domains";
import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { addressRule, createOwnAddresses } from "./own-addresses.ts";

const text = `
auth:
  domains:
    records: [{ name: a.test, aliases: [alias.test, bücher.test] }, { name: b.test }]
    addresses: { domains: [Extra.test] }
identity:
  oidc:
    claim_mappings: [{ claim: email, attribute: mailPrimary }, { claim: nickname, attribute: other }]
    custom_scopes: [{ name: s, claims: [{ name: preferred_username, attribute: Login }] }]
`;

function site() {
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const domains = new Domains(result.config.auth.domains);
  const [domain] = domains.configured;
  if (domain === undefined) throw new Error("no domain");
  const reported: string[] = [];
  const own = createOwnAddresses(domain, {
    rule: () => addressRule(result.config),
    domainOf: async (account) => (await domains.place(account)).domain,
    isServedBy: () => true,
    onForeignAddress: ({ attribute }) => void reported.push(attribute),
  });
  const account = { account: "ann@a.test", accountField: "uid", totpSecretField: "" };
  return { reported, own: (attributes: Record<string, string[]>) => own({ ...account, attributes }, "ldap(a)") };
}

test.each([
  "ann@b.test",
  "ann@sub.a.test",
  "ann@a.test@b.test",
  "<ann@b.test>@a.test",
  "ann@b.test ann@a.test",
  "ann@b.test,x@a.test",
  "@a.test",
  "ann@b.test\n@a.test",
])("%j is no address of a.test", async (address) => {
  expect(await site().own({ MAIL: [address], cn: [address] })).toEqual({ cn: [address] });
});

test.each(["ann@a.test", "Ann.Other@A.TEST", "x@alias.test", "x@xn--bcher-kva.test", "x@extra.test", "no address", ""])(
  "%j stays",
  async (address) => {
    expect(await site().own({ mail: [address] })).toEqual({ mail: [address] });
  },
);

test("what claims with addresses are mapped from has addresses, and is reported", async () => {
  const { own, reported } = site();
  const other = ["x@b.test"];
  const found = await own({ mailprimary: [...other, "x@a.test"], login: other, other, mail: [] });
  expect(found).toEqual({ mailprimary: ["x@a.test"], other, mail: [] });
  expect(reported).toEqual(["mailprimary", "login"]);
});
