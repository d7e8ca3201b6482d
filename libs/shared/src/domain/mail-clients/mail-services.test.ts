import { expect, test } from "vitest";
import { loadConfig } from "../../platform/config/index.ts";
import { agentConfiguration, agentConfigurationDigest, mailServiceTable } from "./mail-services.ts";

function tableOf(domain: string, more = "") {
  const text = `
identity:
  oidc: { issuer: "https://id.example.test" }
  frontend: { branding: { name: A rather long name of a mail service } }
  mail_clients:
    enabled: true
    ${more}
    domains: [{ ${domain} }]`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(result.problems.map(({ path }) => path).join());
  return mailServiceTable(result.config);
}

const servers = "imap: { host: imap.example.test }, smtp: { host: smtp.example.test }";

test("ports, names and the user name have defaults; a server without a host is not offered", () => {
  const table = tableOf(`names: [Example.test, münchen.example], ${servers}`);
  expect(table.find("EXAMPLE.test")).toEqual({
    domain: "example.test",
    displayName: "A rather long name of a mail service",
    shortName: "A rather long name o",
    userName: "address",
    imap: { host: "imap.example.test", port: 993, security: "tls" },
    pop3: undefined,
    smtp: { host: "smtp.example.test", port: 465, security: "tls" },
    oauth: undefined,
  });
  expect(table.find("xn--mnchen-3ya.example")?.smtp.port).toBe(465);
  expect(table.find("other.test")).toBeUndefined();
  const starttls = tableOf(
    "names: [a.test], pop3: { host: p.a.test, security: starttls }, smtp: { host: s.a.test, security: starttls, port: 2587 }",
  ).find("a.test");
  expect([starttls?.imap, starttls?.pop3?.port, starttls?.smtp.port]).toEqual([undefined, 110, 2587]);
});

test("the PACC document contains the hosts, and its digest is that of its bytes", () => {
  const services = tableOf(`names: [example.test], ${servers}`).find("example.test") ?? expect.fail();
  const document = agentConfiguration(services) ?? expect.fail();
  expect(JSON.parse(document)).toEqual({
    protocols: { imap: { host: "imap.example.test" }, smtp: { host: "smtp.example.test" } },
    authentication: { password: true },
    info: { provider: { name: services.displayName, shortName: services.shortName } },
  });
  expect(agentConfigurationDigest("abc")).toBe("v=UAAC1; a=sha256; d=ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  const oauth = {
    issuer: "https://id.example.test",
    authorizationUrl: "",
    tokenUrl: "",
    scopes: [],
    clientId: undefined,
  };
  expect(JSON.parse(agentConfiguration({ ...services, oauth }) ?? "").authentication).toEqual({
    "oauth-public": { issuer: "https://id.example.test" },
    password: true,
  });
});

test("a record of auth.domains names servers too, for its aliases as well; an entry takes precedence", async () => {
  const mail = "mail: { imap: { host: imap.record.test }, smtp: { host: smtp.record.test } }";
  const text = `
auth: { domains: { records: [{ name: b.test, aliases: [c.test], ${mail} }, { name: example.test, ${mail} }, { name: d.test }] } }
identity:
  oidc: { issuer: "https://id.example.test" }
  mail_clients: { enabled: true, domains: [{ names: [example.test], ${servers} }] }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(result.problems.map(({ path }) => path).join());
  const table = mailServiceTable(result.config);
  const hosts = ["b.test", "C.test", "example.test", "d.test"].map((name) => table.find(name)?.smtp.host);
  expect(hosts).toEqual(["smtp.record.test", "smtp.record.test", "smtp.example.test", undefined]);
  expect(table.all.map(({ domain }) => domain).toSorted()).toEqual(["b.test", "c.test", "example.test"]);
  const [record] = result.config.auth.domains.records;
  const byService = ["example.test", "new.test"].map((name) => table.findWith(name, async () => record?.mail));
  expect((await Promise.all(byService)).map((one) => one?.smtp.host)).toEqual([
    "smtp.example.test",
    "smtp.record.test",
  ]);
  expect(await table.findWith("new.test", async () => undefined)).toBeUndefined();
});
