import { writtenTag } from "@postern/shared/domain/localisation";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Look } from "./look.ts";

const minute = 60;
const hour = 60 * minute;

/** When something expires, in the reader's language: `in 9 minutes`. Rounded up, so never too early. */
export function waitingTime(seconds: number, { language }: Pick<Look, "language">): string {
  const words = new Intl.RelativeTimeFormat(`${writtenTag(language.tag)}-u-nu-latn`, { numeric: "always" });
  return seconds > 2 * hour
    ? words.format(Math.ceil(seconds / hour), "hour")
    : words.format(Math.max(1, Math.ceil(seconds / minute)), "minute");
}

/** A time in the reader's locale, in UTC; the page's script rewrites it in the browser's time zone. */
export function moment(ms: number, { locale }: Pick<Look, "locale">): Html {
  const words = new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: "UTC",
    numberingSystem: "latn",
  }).format(ms);
  return html`<time datetime="${new Date(ms).toISOString()}">${words} UTC</time>`;
}
