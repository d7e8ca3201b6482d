import { writtenTag } from "@postern/shared/domain/localisation";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Look } from "./look.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

function wordsIn({ language }: Pick<Look, "language">): Intl.RelativeTimeFormat {
  return new Intl.RelativeTimeFormat(`${writtenTag(language.tag)}-u-nu-latn`, { numeric: "always" });
}

/** When something expires, in the reader's language: `in 9 minutes`. Rounded up, so never too early. */
export function waitingTime(seconds: number, look: Pick<Look, "language">): string {
  const words = wordsIn(look);
  return seconds > 2 * hour
    ? words.format(Math.ceil(seconds / hour), "hour")
    : words.format(Math.max(1, Math.ceil(seconds / minute)), "minute");
}

/** The time that is left until something must be done, of up to months. Rounded down, so never too late. */
export function timeLeft(seconds: number, look: Pick<Look, "language">): string {
  const words = wordsIn(look);
  if (seconds >= 2 * day) return words.format(Math.floor(seconds / day), "day");
  return seconds >= 2 * hour
    ? words.format(Math.floor(seconds / hour), "hour")
    : words.format(Math.floor(seconds / minute), "minute");
}

/** A day (UTC) in the reader's locale. */
export function dayText(ms: number, { locale }: Pick<Look, "locale">): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC", numberingSystem: "latn" }).format(ms);
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
