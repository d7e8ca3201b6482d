import type { MailServices } from "@postern/shared/domain/mail-clients";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMailAddress } from "./mail-address.ts";
import { thunderbirdCode } from "./thunderbird-code.ts";

const services: MailServices = {
  domain: "example.test",
  displayName: "Example Mail",
  shortName: "Example",
  userName: "address",
  imap: { host: "imap.example.test", port: 993, security: "tls" },
  pop3: undefined,
  smtp: { host: "smtp.example.test", port: 587, security: "starttls" },
  oauth: undefined,
};
const mail = readMailAddress("alice@example.test") ?? expect.fail();
const profile = { address: mail.address, name: "Alice & <Example>", password: "app-secret" };

describe("the QR code for Thunderbird for Android", () => {
  test("is the published format with both servers, the password and the identity", () => {
    expect(JSON.parse(thunderbirdCode(services, mail, profile))).toEqual([
      1,
      [1, 1],
      [0, "imap.example.test", 993, 3, 1, "alice@example.test", "", "app-secret"],
      [
        [
          [0, "smtp.example.test", 587, 2, 1, "alice@example.test", "app-secret"],
          ["alice@example.test", "Alice & <Example>"],
        ],
      ],
    ]);
  });
});

test("an address is read only if it has a local part and a domain, and is returned as written", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), (text) => {
      const read = readMailAddress(`${text}@example.test`);
      if (read !== undefined) expect(`${read.localPart}@${read.domain}`).toBe(read.address);
    }),
  );
  for (const text of [
    "",
    "@example.test",
    "alice",
    "alice@",
    "alice@localhost",
    "a b@example.test",
    `${"a".repeat(65)}@example.test`,
  ]) {
    expect(readMailAddress(text)).toBeUndefined();
  }
});
