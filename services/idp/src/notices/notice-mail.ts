import type { TextKey } from "../pages/catalogues/en.ts";
import { deviceName } from "../pages/device-name.ts";
import { textsOf } from "../pages/texts.ts";
import type { Notice } from "./notice.ts";

export interface NoticeMailSettings {
  /** Name of the site. */
  readonly brand: string;
  /** Where users look through their account. */
  readonly link: string;
  readonly addressAttribute: string;
}

export interface NoticeMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

const addressForm = /^[^\s@<>()",;:\\[\]]{1,64}@[^\s@<>()",;:\\[\]]{1,189}$/;

const factorText: Readonly<Record<NonNullable<Notice["factor"]>, TextKey>> = {
  totp: "mfa.totp",
  webauthn: "mfa.webauthn",
};

/** One line, whatever a browser calls itself. */
const line = (text: string): string => text.replaceAll(/\p{C}/gu, " ");

/** The message to the user; undefined for an account without an address. */
export function noticeMail(notice: Notice, settings: NoticeMailSettings, nowMs: number): NoticeMail | undefined {
  const { event, account, factor, origin } = notice;
  const to = origin.attributes[settings.addressAttribute]?.[0];
  if (to === undefined || !addressForm.test(to)) return undefined;
  const text = textsOf(origin.language);
  const time = new Intl.DateTimeFormat(origin.language.tag, {
    dateStyle: "medium",
    timeStyle: "long",
    timeZone: "UTC",
  }).format(nowMs);
  const what = text(`notice.${event}`, { account, factor: factor === undefined ? "" : text(factorText[factor]) });
  const device = line(deviceName(origin.userAgent));
  const where = text("notice.where", { time, device, address: origin.clientIp });
  return {
    to,
    subject: line(text("notice.subject", { brand: settings.brand })),
    text: [what, where, text("notice.not_you", { link: settings.link })].join("\n\n"),
  };
}
