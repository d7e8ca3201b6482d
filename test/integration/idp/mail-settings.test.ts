import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runDnsCommand } from "../../../cli/src/dns/dns.ts";
import { fetchAtHost } from "../../support/fetch-at-host.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { sendRaw } from "../../support/raw-http.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const server = { host: "mail.example.test" };
const mailClients = {
  enabled: true,
  oauth2: { enabled: true },
  domains: [
    { names: ["example.test"], display_name: "Example <Mail> & more", imap: server, smtp: server },
    { names: ["plain.test"], imap: { host: "mail.plain.test", security: "starttls" }, smtp: server },
  ],
};
const identity = {
  frontend: { enabled: true },
  oidc: { enabled: true, issuer: "http://localhost:8080" },
  mail_clients: mailClients,
};

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ redis: true, services: ["idp"], settings: { identity } });
});

afterAll(() => stack[Symbol.asyncDispose]());

const shown = async (response: Response) => ({
  status: response.status,
  headers: response.headers,
  text: await response.text(),
});
const ask = async (path: string, init: RequestInit = {}) => shown(await fetch(`${stack.url}${path}`, init));
const askAt = async (host: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  shown(await fetchAtHost(`${stack.url}${path}`, { ...headers, host }));

const paths = ["/.well-known/autoconfig/mail/config-v1.1.xml", "/mail/config-v1.1.xml"];
const pacc = "/.well-known/user-agent-configuration.json";

const outlook = "http://schemas.microsoft.com/exchange/autodiscover/outlook";
const posted = (address: string, path = "/autodiscover/autodiscover.xml", before = "") =>
  ask(path, {
    method: "POST",
    headers: { "content-type": "text/xml" },
    body: `<?xml version="1.0"?>${before}<Autodiscover xmlns="${outlook}/requestschema/2006"><Request><EMailAddress>${address}</EMailAddress><AcceptableResponseSchema>${outlook}/responseschema/2006a</AcceptableResponseSchema></Request></Autodiscover>`,
  });

describe.each(paths)("GET %s through the gateway", (path) => {
  test("serves the settings of the domain of the address, or of the host that the client asked", async () => {
    const byAddress = await ask(`${path}?emailaddress=alice@example.test`);
    expect([byAddress.status, byAddress.headers.get("content-type")]).toEqual([200, "text/xml; charset=utf-8"]);
    expect(byAddress.text).toContain("<displayName>Example &lt;Mail&gt; &amp; more</displayName>");
    expect(byAddress.text).toContain("<issuer>http://localhost:8080</issuer>");
    expect(byAddress.text).toMatch(/<authentication>OAuth2<\/authentication><authentication>password-cleartext</);
    for (const host of ["example.test", "autoconfig.example.test:8080"]) {
      expect((await askAt(host, path)).text).toBe(byAddress.text);
    }
    const other = await askAt("autoconfig.plain.test", path);
    expect(other.text).toContain("<socketType>STARTTLS</socketType>");
  });

  test("ignores the case of the path, and reads the address of an alias with +", async () => {
    const known = await ask(`${path}?emailaddress=alice@example.test`);
    for (const address of ["alice+tag@example.test", "alice%2Btag@example.test", "alice+a+b@Example.Test"]) {
      for (const spelling of [path, path.toUpperCase(), path.replace("config-v", "Config-V")]) {
        const { status, text } = await ask(`${spelling}?emailaddress=${address}`);
        expect([spelling, address, status, text]).toEqual([spelling, address, 200, known.text]);
      }
    }
    expect((await ask("/mail/PROFILE/x")).status).toBe(404);
  });

  test("is the same for every user of a domain, and 404 for any other domain", async () => {
    const known = await ask(`${path}?emailaddress=alice@example.test`);
    expect((await ask(`${path}?emailaddress=nobody@example.test`)).text).toBe(known.text);
    for (const query of [
      "",
      "?emailaddress=alice@unknown.test",
      "?emailaddress=alice",
      "?emailaddress=a@example.test&emailaddress=b@example.test",
    ]) {
      const { status, text } = await askAt(query === "" ? "unknown.test" : "example.test", `${path}${query}`);
      expect([query, status, text]).toEqual([query, 404, ""]);
    }
    expect((await askAt("unknown.test", path, { "x-forwarded-host": "example.test" })).status).toBe(404);
  });
});

describe("Autodiscover through the gateway", () => {
  test("serves the settings under each spelling of the path, for known and unknown users alike", async () => {
    for (const path of [
      "/autodiscover/autodiscover.xml",
      "/Autodiscover/Autodiscover.xml",
      "/AutoDiscover/AutoDiscover.xml",
      "/AutoDiscover/Autodiscover.xml",
      "/AUTODISCOVER/AUTODISCOVER.XML",
      "/aUtOdIsCoVeR/autoDiscover.Xml?x=1",
    ]) {
      const known = await posted("alice@example.test", path);
      expect([known.status, known.headers.get("cache-control")]).toEqual([200, "no-store"]);
      expect(known.text).toContain("<LoginName>alice@example.test</LoginName>");
      const unknown = await posted("nobody@example.test", path);
      expect(unknown.text.replaceAll("nobody@", "alice@")).toBe(known.text);
    }
    expect((await posted("alice@unknown.test")).status).toBe(404);
    const alias = await posted("alice+tag@example.test");
    expect([alias.status, alias.text]).toEqual([200, expect.stringContaining("<LoginName>alice+tag@example.test</")]);
  });

  test("rejects DTDs, entities and large requests with 400, and logs why", async () => {
    const entity = `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>`;
    const large = "a".repeat(20_000);
    const rejected = [
      await posted("&x;@example.test", undefined, entity),
      await posted("&x;@example.test"),
      await posted(`${large}@example.test`),
      await ask("/autodiscover/autodiscover.xml", { method: "POST" }),
    ];
    const idp = stack.services.get("idp") ?? expect.fail();
    for (const { status, text, headers } of rejected) {
      expect([status, text]).toEqual([400, expect.stringContaining("<ErrorCode>600</ErrorCode>")]);
      expect(text).not.toContain("root:");
      const session = headers.get("x-service-session") ?? undefined;
      expect(await logLineOf(idp, session, "Autodiscover request refused")).toHaveProperty("reason");
    }
  });
});

test("what a client sends as its host cannot command a terminal that shows the log", async () => {
  const head = "GET /mail/config-v1.1.xml HTTP/1.1\r\nConnection: close\r\nHost: a";
  const { status, text } = await sendRaw(stack.httpPort, [Buffer.from(`${head}\u009b31m\u0090\r\n\r\n`, "latin1")]);
  expect(status).toBe(404);
  const session = /^x-service-session: (\S+)/imu.exec(text)?.[1];
  const idp = stack.services.get("idp") ?? expect.fail();
  expect(await logLineOf(idp, session, "no mail settings for the domain")).toHaveProperty("host", "a\u009b31m\u0090");
  expect(idp.output()).not.toMatch(/[\u007f-\u009f]/u);
});

describe("PACC", () => {
  test("the bytes that are served have the digest that postern dns prints", async () => {
    const served = await askAt("ua-auto-config.example.test", pacc);
    expect(JSON.parse(served.text).authentication).toEqual({
      "oauth-public": { issuer: "http://localhost:8080" },
      password: true,
    });
    await using folder = await scratchFolder();
    const file = join(folder.path, "config.yaml");
    await writeFile(
      file,
      JSON.stringify({ identity, storage: { redis: { encryption_secret: "test-encryption-secret" } } }),
    );
    const printed = await runDnsCommand(["example.test", "--config", file]);
    const digest = createHash("sha256").update(served.text).digest("base64");
    expect(printed).toMatchObject({ exitCode: 0, errors: [expect.stringContaining("https on port 443")] });
    expect(printed.output).toContain(`_ua-auto-config.example.test. IN TXT "v=UAAC1; a=sha256; d=${digest}"`);
    expect(printed.output).toContain("_submissions._tcp.example.test. IN SRV 0 1 465 mail.example.test.");
    expect(await runDnsCommand(["unknown.test", "--config", file])).toMatchObject({ exitCode: 1, output: [] });
  });

  test("a domain whose servers it cannot express, and an unknown one, get 404", async () => {
    for (const host of ["ua-auto-config.plain.test", "ua-auto-config.unknown.test"]) {
      expect((await askAt(host, pacc)).status).toBe(404);
    }
  });
});
