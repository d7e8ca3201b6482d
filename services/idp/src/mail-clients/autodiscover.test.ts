import type { MailServices } from "@postern/shared/domain/mail-clients";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { childOf, parseXml, textOf, type XmlElement } from "../saml/xml/xml-tree.ts";
import { autodiscoverError, autodiscoverResponse, readAutodiscoverRequest } from "./autodiscover.ts";
import { readMailAddress } from "./mail-address.ts";

const requestNamespace = "http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006";
const outlook = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";
const mobile = "http://schemas.microsoft.com/exchange/autodiscover/mobilesync/responseschema/2006";
const responseNamespace = "http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006";

const requestFor = (address: string, schema = outlook, before = "") =>
  `<?xml version="1.0" encoding="utf-8"?>${before}<Autodiscover xmlns="${requestNamespace}"><Request><EMailAddress>${address}</EMailAddress><AcceptableResponseSchema>${schema}</AcceptableResponseSchema></Request></Autodiscover>`;

const read = (text: string) => readAutodiscoverRequest(Buffer.from(text));

describe("a request", () => {
  test("as Outlook sends it is read, even with a byte order mark", () => {
    const address = { address: "alice@example.test", localPart: "alice", domain: "example.test" };
    expect(read(requestFor("alice@example.test"))).toEqual({ outcome: "ok", address });
    expect(read(`\ufeff${requestFor("alice@EXAMPLE.test")}`)).toMatchObject({
      outcome: "ok",
      address: { domain: "example.test" },
    });
  });

  test("for another response schema is not supported", () => {
    expect(read(requestFor("alice@example.test", mobile))).toEqual({ outcome: "unsupported" });
    expect(
      read(requestFor("alice@example.test").replaceAll("outlook/requestschema", "mobilesync/requestschema")),
    ).toEqual({ outcome: "unsupported" });
  });

  const bomb = `<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>`;
  test.each([
    ["a DTD", requestFor("alice@example.test", outlook, "<!DOCTYPE a>")],
    ["entities that expand to one another", requestFor("&b;@example.test", outlook, bomb)],
    ["an external entity", requestFor("&x;", outlook, `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>`)],
    ["an undeclared entity", requestFor("&x;@example.test")],
    ["more than 16 KiB", requestFor(`${"a".repeat(16_384)}@example.test`)],
    ["elements nested deeply", requestFor(`${"<a>".repeat(20)}${"</a>".repeat(20)}`)],
    ["two addresses", requestFor("a@example.test</EMailAddress><EMailAddress>b@example.test")],
    ["no address", requestFor("")],
    ["an address without a domain", requestFor("alice")],
    ["an address with a control character", requestFor("al&#9;ice@example.test")],
    ["no XML", "{}"],
    ["nothing", ""],
  ])("with %s is malformed", (_what, text) => {
    expect(read(text)).toMatchObject({ outcome: "malformed" });
  });

  test("of any bytes is answered and never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(["malformed", "unsupported"]).toContain(readAutodiscoverRequest(bytes).outcome);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.nat(400), (piece, at) => {
        const whole = requestFor("alice@example.test");
        expect(typeof read(`${whole.slice(0, at)}${piece}${whole.slice(at)}`).outcome).toBe("string");
      }),
    );
  });
});

const services: MailServices = {
  domain: "example.test",
  displayName: "Example & <Mail>",
  shortName: "Example",
  userName: "address",
  imap: { host: "imap.example.test", port: 993, security: "tls" },
  pop3: undefined,
  smtp: { host: "smtp.example.test", port: 587, security: "starttls" },
  oauth: undefined,
};

function accountIn(document: string): XmlElement | undefined {
  const response = childOf(parseXml(document), outlook, "Response");
  return response === undefined ? undefined : childOf(response, outlook, "Account");
}

describe("a response", () => {
  test("has the servers in order, with the user's address and the encryption", () => {
    const address = readMailAddress("alice@example.test") ?? expect.fail();
    const account = accountIn(autodiscoverResponse(services, address));
    const protocols = account?.children.filter(({ name }) => name === "Protocol") ?? [];
    const read = protocols.map((protocol) =>
      ["Type", "Server", "Port", "LoginName", "SSL", "Encryption"].map((name) => {
        const child = childOf(protocol, outlook, name);
        return child === undefined ? undefined : textOf(child);
      }),
    );
    expect(read).toEqual([
      ["IMAP", "imap.example.test", "993", "alice@example.test", "on", "SSL"],
      ["SMTP", "smtp.example.test", "587", "alice@example.test", "on", "TLS"],
    ]);
  });

  test("carries any address as text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (localPart) => {
        const address = readMailAddress(`${localPart}@example.test`);
        if (address === undefined) return;
        const account = accountIn(autodiscoverResponse({ ...services, userName: "local_part" }, address));
        expect(account?.children.filter(({ name }) => name === "Protocol")).toHaveLength(2);
      }),
    );
  });

  test("to another schema is error 601, to a malformed request error 600", () => {
    for (const [error, code] of [
      ["unsupported", "601"],
      ["malformed", "600"],
    ] as const) {
      const response = childOf(parseXml(autodiscoverError(error, 0)), responseNamespace, "Response");
      const element = response && childOf(response, responseNamespace, "Error");
      const found = element && childOf(element, responseNamespace, "ErrorCode");
      expect(found?.text).toBe(code);
    }
  });
});
