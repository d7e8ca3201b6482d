import { writtenTag } from "@postern/shared/domain/localisation";
import type { TextKey } from "../pages/catalogues/en.ts";
import { deviceName } from "../pages/device-name.ts";
import { textsOf, unhyphenated } from "../pages/texts.ts";
import type { Notification } from "./notification.ts";

export interface NotificationMailSettings {
  /** Name of the site. */
  readonly brand: string;
  /** URL of the user's account pages. */
  readonly link: string;
  readonly addressAttribute: string;
}

export interface NotificationMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const addressForm = /^[^\s@<>()",;:\\[\]]{1,64}@[^\s@<>()",;:\\[\]]{1,189}$/;

const factorText: Readonly<Record<NonNullable<Notification["factor"]>, TextKey>> = {
  totp: "mfa.totp",
  webauthn: "mfa.webauthn",
  recovery: "mfa.recovery",
};

/** Keeps a text on one line, whatever its user agent contains. */
const line = (text: string): string => text.replaceAll(/\p{C}/gu, " ");

/** The mail to the user; undefined for an account without a usable address. */
export function notificationMail(
  notification: Notification,
  settings: NotificationMailSettings,
  nowMs: number,
): NotificationMail | undefined {
  const { event, account, factor, origin } = notification;
  const to = origin.attributes[settings.addressAttribute]?.[0];
  if (to === undefined || !addressForm.test(to)) return undefined;
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
  return {
    to,
    subject: line(text("notice.subject", { brand: settings.brand })),
    text: [what, where, text("notice.not_you", { link: settings.link })].join("\n\n"),
  };
}
