import type { MailServices } from "@postern/shared/domain/mail-clients";
import { expect, test } from "vitest";
import { servicesOfHost } from "./mail-address.ts";

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
const table = {
  find: async (domain: string) => (domain === "example.test" ? services : undefined),
};

test.each([
  "example.test",
  "EXAMPLE.test:8443",
  "autoconfig.example.test",
  "autodiscover.example.test",
  "ua-auto-config.example.test:443",
])("the host %s belongs to the mail domain", async (host) => expect(await servicesOfHost(table, host)).toBe(services));

test.each([
  "id.example.test",
  "autoconfig.autoconfig.example.test",
  "autoconfig.",
  "xautoconfig.example.test",
  "[::1]:8080",
  "",
  undefined,
])("the host %s does not", async (host) => expect(await servicesOfHost(table, host)).toBeUndefined());
