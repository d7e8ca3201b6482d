import type { MailServices } from "@postern/shared/domain/mail-clients";
import fc from "fast-check";
import { expect, test } from "vitest";
import { childOf, childrenOf, parseXml, textOf, type XmlElement } from "../saml/xml/xml-tree.ts";
import { autoconfigDocument } from "./autoconfig-document.ts";

const services: MailServices = {
  domain: "example.test",
  displayName: "Example Mail",
  shortName: "Example",
  userName: "address",
  imap: { host: "imap.example.test", port: 993, security: "tls" },
  pop3: { host: "pop.example.test", port: 110, security: "starttls" },
  smtp: { host: "smtp.example.test", port: 587, security: "starttls" },
  oauth: undefined,
};
const oauth = {
  issuer: "https://id.example.test",
  authorizationUrl: "https://id.example.test/oidc/authorize",
  tokenUrl: "https://id.example.test/oidc/token",
  scopes: ["urn:ietf:params:oauth:scope:mail", "offline_access"],
  clientId: undefined,
};

const texts = (parent: XmlElement, name: string) => childrenOf(parent, "", name).map(textOf);

function serversIn(document: string) {
  const provider = childOf(parseXml(document), "", "emailProvider");
  return (provider?.children ?? [])
    .filter(({ name }) => name.endsWith("Server"))
    .map((server) => ({
      type: server.attributes.get("type"),
      host: texts(server, "hostname")[0],
      port: texts(server, "port")[0],
      socket: texts(server, "socketType")[0],
      methods: texts(server, "authentication"),
      user: texts(server, "username")[0],
    }));
}

test("the document lists each server with its port, encryption and methods, and a placeholder for the user", () => {
  const password = { methods: ["password-cleartext"], user: "%EMAILADDRESS%" };
  expect(serversIn(autoconfigDocument(services))).toEqual([
    { type: "imap", host: "imap.example.test", port: "993", socket: "SSL", ...password },
    { type: "pop3", host: "pop.example.test", port: "110", socket: "STARTTLS", ...password },
    { type: "smtp", host: "smtp.example.test", port: "587", socket: "STARTTLS", ...password },
  ]);
  const local = serversIn(autoconfigDocument({ ...services, userName: "local_part", pop3: undefined }));
  expect(local.map(({ user }) => user)).toEqual(["%EMAILLOCALPART%", "%EMAILLOCALPART%"]);
});

test("with OAuth 2.0 it comes first and the password second, and the issuer is named; without it, it is not mentioned", () => {
  const document = autoconfigDocument({ ...services, oauth });
  expect(serversIn(document).map(({ methods }) => methods)).toEqual(
    Array.from({ length: 3 }, () => ["OAuth2", "password-cleartext"]),
  );
  const element = childOf(parseXml(document), "", "oAuth2");
  expect(element?.children.map(({ name, text }) => [name, text])).toEqual([
    ["issuer", "https://id.example.test"],
    ["scope", "urn:ietf:params:oauth:scope:mail offline_access"],
    ["authURL", "https://id.example.test/oidc/authorize"],
    ["tokenURL", "https://id.example.test/oidc/token"],
  ]);
  expect(autoconfigDocument({ ...services, oauth: { ...oauth, clientId: "mail" } })).toContain(
    "<clientID>mail</clientID>",
  );
  expect(autoconfigDocument(services)).not.toMatch(/oauth/i);
});

test("any display name is written so that a strict parser reads it back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (displayName) => {
      const provider = childOf(parseXml(autoconfigDocument({ ...services, displayName })), "", "emailProvider");
      const readable = displayName.replaceAll(
        /[^\t\n\r\u0020-\u0084\u0086-\u2027\u2029-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu,
        "\ufffd",
      );
      expect(texts(provider ?? expect.fail(), "displayName")).toEqual([readable.trim()]);
    }),
  );
});
