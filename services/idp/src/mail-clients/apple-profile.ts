import { createHash } from "node:crypto";
import type { MailServer, MailServices } from "@postern/shared/domain/mail-clients";
import type { FastifyReply } from "fastify";
import { element, type Xml, xmlOf, xmlString } from "../saml/xml/xml-writer.ts";
import { type MailAddress, userNameAt } from "./mail-address.ts";
import type { OfferedProfile } from "./profile-offers-redis.ts";
import type { ProfileSigningKey } from "./sign-profile.ts";

type PlistValue = string | number | boolean | readonly PlistValue[] | PlistDict;
interface PlistDict {
  readonly [key: string]: PlistValue;
}

function isList(value: PlistValue): value is readonly PlistValue[] {
  return Array.isArray(value);
}

function plistOf(value: PlistValue): Xml {
  if (typeof value === "string") return element("string", {}, value);
  if (typeof value === "number") return element("integer", {}, String(value));
  if (typeof value === "boolean") return element(value ? "true" : "false", {});
  if (isList(value)) return element("array", {}, ...value.map(plistOf));
  const members = Object.entries(value).map(([key, member]) => xmlOf(element("key", {}, key), plistOf(member)));
  return element("dict", {}, ...members);
}

/** An account always has the same UUIDs, so a second profile replaces the first on the device. */
function uuidOf(...parts: readonly string[]): string {
  const digest = createHash("sha256").update(parts.join("\0")).digest("hex");
  const groups = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `8${digest.slice(17, 20)}`];
  return [...groups, digest.slice(20, 32)].join("-").toUpperCase();
}

interface Payload extends OfferedProfile {
  readonly services: MailServices;
  readonly mail: MailAddress;
}

/** Apple knows IMAP and POP3, and one switch for TLS: with a STARTTLS port it uses STARTTLS. */
function incoming({ services, mail, password }: Payload, server: MailServer): PlistDict {
  return {
    EmailAccountType: services.imap === undefined ? "EmailTypePOP" : "EmailTypeIMAP",
    IncomingMailServerAuthentication: "EmailAuthPassword",
    IncomingMailServerHostName: server.host,
    IncomingMailServerPortNumber: server.port,
    IncomingMailServerUseSSL: true,
    IncomingMailServerUsername: userNameAt(services, mail),
    IncomingPassword: password,
  };
}

function outgoing({ services, mail }: Payload): PlistDict {
  const { smtp } = services;
  return {
    OutgoingMailServerAuthentication: "EmailAuthPassword",
    OutgoingMailServerHostName: smtp.host,
    OutgoingMailServerPortNumber: smtp.port,
    OutgoingMailServerUseSSL: true,
    OutgoingMailServerUsername: userNameAt(services, mail),
    OutgoingPasswordSameAsIncomingPassword: true,
  };
}

const doctype =
  '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">';

/**
 * An Apple configuration profile with one mail account (Apple, Device Management: Mail). Profiles have no OAuth 2.0 for
 * IMAP and POP3. The name of the profile is the site's domain in reverse and the account's digest.
 */
export function appleProfile(services: MailServices, mail: MailAddress, profile: OfferedProfile): string {
  const { displayName, domain, imap, pop3 } = services;
  const server = imap ?? pop3;
  if (server === undefined) throw new TypeError(`${domain} has no incoming server`);
  const payload = { ...profile, services, mail };
  const identifier = [...domain.split(".").toReversed(), "mail", uuidOf(mail.address).slice(0, 8)].join(".");
  const account: PlistDict = {
    PayloadType: "com.apple.mail.managed",
    PayloadVersion: 1,
    PayloadIdentifier: `${identifier}.account`,
    PayloadUUID: uuidOf("account", mail.address),
    PayloadDisplayName: displayName,
    EmailAccountDescription: displayName,
    EmailAccountName: profile.name,
    EmailAddress: mail.address,
    ...incoming(payload, server),
    ...outgoing(payload),
  };
  const root: PlistDict = {
    PayloadType: "Configuration",
    PayloadVersion: 1,
    PayloadIdentifier: identifier,
    PayloadUUID: uuidOf("profile", mail.address),
    PayloadDisplayName: displayName,
    PayloadDescription: mail.address,
    PayloadOrganization: displayName,
    PayloadContent: [account],
  };
  const plist = element("plist", { version: "1.0" }, plistOf(root));
  // Texts contain no tags, so these are the writer's own. Property lists have them as empty-element tags.
  const text = xmlString(plist).replaceAll(/<(true|false)><\/\1>/g, "<$1/>");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${doctype}\n${text}\n`;
}

/** Sends an Apple profile, which may contain a password. The code that signs is loaded when it is needed. */
export async function sendProfile(
  reply: FastifyReply,
  { signingKey, nowMs }: { readonly signingKey: ProfileSigningKey | undefined; readonly nowMs: () => number },
  { services, mail, profile }: { services: MailServices; mail: MailAddress; profile: OfferedProfile },
): Promise<FastifyReply> {
  const text = appleProfile(services, mail, profile);
  const body =
    signingKey === undefined
      ? Buffer.from(text, "utf8")
      : (await import("./sign-profile.ts")).signProfile(text, signingKey, new Date(nowMs()));
  return reply
    .header("cache-control", "no-store")
    .header("x-content-type-options", "nosniff")
    .header("content-disposition", 'attachment; filename="mail.mobileconfig"')
    .type("application/x-apple-aspen-config")
    .send(body);
}
