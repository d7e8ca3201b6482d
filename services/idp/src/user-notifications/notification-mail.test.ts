import { notificationEvents } from "@postern/shared/contracts";
import { languages } from "@postern/shared/domain/localisation";
import { describe, expect, test } from "vitest";
import type { Notification } from "./notification.ts";
import { notificationMails } from "./notifier.ts";

const settings = { brand: "Example Mail", link: "https://id.example.test/mfa/register/home", addressAttribute: "mail" };
const [english] = languages;
if (english === undefined) throw new Error("no languages");

const notification = (more: Partial<Notification["origin"]> = {}): Notification => ({
  event: "factor_added",
  factor: "totp",
  account: "alice@example.test",
  session: "s",
  origin: {
    clientIp: "192.0.2.7",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
    language: english,
    attributes: { mail: ["alice@example.test", "other@example.test"] },
    ...more,
  },
});

test("a notification reports the event, time, device and address with a link, and is sent to the first address", () => {
  const [mail] = notificationMails(notification(), settings, Date.UTC(2026, 0, 2, 3, 4, 5));
  expect(mail?.to).toBe("alice@example.test");
  expect(mail?.subject).toBe("Security alert for your Example Mail account");
  expect(mail?.text).toContain("added to your account alice@example.test: Authenticator app.");
  expect(mail?.text).toMatch(/^Time: Jan 2, 2026.*3:04:05.*UTC\nDevice: Firefox, Linux\nIP address: 192\.0\.2\.7$/m);
  expect(mail?.text).toContain(settings.link);
});

test("while someone else may read one address, all that the account has are written to, once each", () => {
  const doubted = { ...notification(), isDoubted: true };
  expect(notificationMails(doubted, settings, 0).map((mail) => mail.to)).toEqual([
    "alice@example.test",
    "other@example.test",
  ]);
  const { attributes } = doubted.origin;
  const outside = {
    ...doubted,
    origin: { ...doubted.origin, attributes: { ...attributes, recovery: ["alice@home.test"] } },
  };
  const to = notificationMails(outside, { ...settings, addressAttribute: "recovery" }, 0).map((mail) => mail.to);
  expect(to).toEqual(["alice@home.test", "alice@example.test", "other@example.test"]);
  const unmapped = { ...doubted, origin: { ...doubted.origin, attributes: {} } };
  expect(notificationMails(unmapped, settings, 0).map((mail) => mail.to)).toEqual(["alice@example.test"]);
});

const byOperator = (operatorText: string) => ({
  ...notification(),
  event: "account_suspended" as const,
  operatorText,
});

test("what an operator did says nothing of a device, and has the operator's text in one line", () => {
  const [mail] = notificationMails(byOperator("Call us\r\n\r\nBcc: x@y"), settings, 0);
  expect(mail?.text).toMatch(/^Your account .* has been suspended[^\n]*\n\nCall us {4}Bcc: x@y$/u);
  expect(notificationMails(byOperator(""), settings, 0)[0]?.text).toMatch(/^Your account [^\n]*$/u);
});

test.each([[[]], [[""]], [["no address"]], [["a@b\r\nBcc: x@y"]], [["a@b,c@d"]], [["<a@b>"]]])(
  "an account with the address %j receives no notification",
  (mail) => {
    expect(notificationMails(notification({ attributes: { mail } }), settings, 0)).toEqual([]);
    expect(notificationMails(notification({ attributes: {} }), settings, 0)).toEqual([]);
  },
);

test("the User-Agent header cannot add a line to the message", () => {
  const [mail] = notificationMails(notification({ userAgent: "x\r\n\r\nCall +1 555 now" }), settings, 0);
  expect(mail?.text.split("\n").filter((line) => line.startsWith("Call"))).toEqual([]);
});

describe.each(languages)("in $name", (language) => {
  test.each(notificationEvents)("the message for %s has no unfilled placeholder", (event) => {
    const [mail] = notificationMails({ ...notification({ language }), event }, settings, 0);
    expect(`${mail?.subject}${mail?.text}`).not.toMatch(/[{}]/);
  });

  test("no factor is named with soft hyphens, which mail programs show", () => {
    for (const factor of ["totp", "webauthn", "recovery"] as const)
      expect(notificationMails({ ...notification({ language }), factor }, settings, 0)[0]?.text).not.toContain(
        "\u00AD",
      );
  });
});
