import type { MailServices } from "@postern/shared/domain/mail-clients";
import { expect, test } from "vitest";
import { dnsRecords } from "./dns-records.ts";

const services: MailServices = {
  domain: "example.test",
  displayName: "Example Mail",
  shortName: "Example",
  userName: "address",
  imap: { host: "imap.example.test", port: 993, security: "tls" },
  pop3: undefined,
  smtp: { host: "smtp.example.test", port: 465, security: "tls" },
  oauth: undefined,
};

const linesOf = (changes: Partial<MailServices> = {}): readonly string[] =>
  dnsRecords({ ...services, ...changes }, new URL("https://id.example.test")).map(
    ({ name, type, value }) => `${name} ${type} ${value}`,
  );

const pacc = (changes?: Partial<MailServices>) => linesOf(changes).filter((line) => line.includes("ua-auto-config"));

test("each way to connect has one record, and those that are not offered say so", () => {
  expect(linesOf().slice(0, 6)).toEqual([
    "_imaps._tcp.example.test. SRV 0 1 993 imap.example.test.",
    "_imap._tcp.example.test. SRV 0 0 0 .",
    "_pop3s._tcp.example.test. SRV 0 0 0 .",
    "_pop3._tcp.example.test. SRV 0 0 0 .",
    "_submissions._tcp.example.test. SRV 0 1 465 smtp.example.test.",
    "_submission._tcp.example.test. SRV 0 0 0 .",
  ]);
  const smtp = { host: "smtp.example.test", port: 2587, security: "starttls" } as const;
  expect(linesOf({ smtp })).toContain("_submission._tcp.example.test. SRV 0 1 2587 smtp.example.test.");
});

test("the names that clients ask for settings lead to the host of the sign-in pages", () => {
  expect(linesOf()).toEqual(
    expect.arrayContaining([
      "autoconfig.example.test. CNAME id.example.test.",
      "autodiscover.example.test. CNAME id.example.test.",
      "_autodiscover._tcp.example.test. SRV 0 1 443 id.example.test.",
      "ua-auto-config.example.test. CNAME id.example.test.",
    ]),
  );
});

test("PACC records are printed only for servers that PACC can express", () => {
  expect(pacc()).toHaveLength(2);
  expect(pacc({ imap: { host: "imap.example.test", port: 143, security: "starttls" } })).toEqual([]);
  expect(pacc({ smtp: { host: "smtp.example.test", port: 4650, security: "tls" } })).toEqual([]);
});
