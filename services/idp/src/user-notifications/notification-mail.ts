import { writtenTag } from "@postern/shared/domain/localisation";
import { deviceName } from "../pages/device-name.ts";
import type { TextKey } from "../pages/texts.ts";
import { textsOf, unhyphenated } from "../pages/texts.ts";
import type { Notification } from "./notification.ts";

export interface NotificationMailSettings {
  /** Name of the site. */
  readonly brand: string;
  /** URL of the user's account pages. */
  readonly link: string;
  readonly addressAttribute: string;
}

const addressForm = /^[^\s@<>()",;:\\[\]]{1,64}@[^\s@<>()",;:\\[\]]{1,189}$/;

const factorText: Readonly<Record<NonNullable<Notification["factor"]>, TextKey>> = {
  totp: "mfa.totp",
  webauthn: "mfa.webauthn",
  recovery: "mfa.recovery",
};

/** Keeps a text on one line, whatever its user agent contains. */
const line = (text: string): string => text.replaceAll(/\p{C}/gu, " ");

/** Attackers choose none of these addresses, but an account may have many. */
const maxAddresses = 8;

/** The address for notifications, or while someone else may read it, all addresses that are known of the account. */
function addressesOf({ account, origin, isDoubted }: Notification, { addressAttribute }: NotificationMailSettings) {
  const named = origin.attributes[addressAttribute] ?? [];
  const all = isDoubted === true ? [...named, ...(origin.attributes["mail"] ?? []), account] : named.slice(0, 1);
  return [...new Set(all)].filter((address) => addressForm.test(address)).slice(0, maxAddresses);
}

/** The mails to the user; none for an account without a usable address. */
export function notificationMails(notification: Notification, settings: NotificationMailSettings, nowMs: number) {
  const { event, account, factor, origin, operatorText } = notification;
  const text = textsOf(origin.language);
  const time = new Intl.DateTimeFormat(writtenTag(origin.language.tag), {
    dateStyle: "medium",
    timeStyle: "long",
    timeZone: "UTC",
  }).format(nowMs);
  const what = text(`notice.${event}`, {
    account,
    factor: factor === undefined ? "" : unhyphenated(text(factorText[factor])),
  });
  const device = line(deviceName(origin.userAgent));
  const where = text("notice.where", { time, device, address: origin.clientIp });
  const parts =
    operatorText === undefined
      ? [what, where, text("notice.not_you", { link: settings.link })]
      : [what, line(operatorText)].filter((part) => part !== "");
  return addressesOf(notification, settings).map((to) => ({
    to,
    subject: line(text("notice.subject", { brand: settings.brand })),
    text: parts.join("\n\n"),
  }));
}
