import { type Html, htmlText } from "@postern/shared/platform/pages";
import { type ConsoleLanguage, englishLanguage } from "../../texts/console-languages.ts";
import { localeOf, textIn, writeTexts } from "../../texts/write-texts.ts";

/** How a browser of an operator shows texts and times. */
export interface Look {
  readonly language: ConsoleLanguage;
  /** IANA name. */
  readonly zone: string;
  readonly nowMs: number;
}

/** Today's names of zones that the runtime lists under their old ones. */
const renamed =
  "Africa/Asmara America/Nuuk Asia/Ho_Chi_Minh Asia/Kathmandu Asia/Kolkata Asia/Yangon Atlantic/Faroe Europe/Kyiv Pacific/Chuuk Pacific/Kanton Pacific/Pohnpei";

/** Zones that an operator may choose, in alphabetical order. */
export const zones: readonly string[] = [
  ...new Set(["UTC", ...renamed.split(" "), ...Intl.supportedValuesOf("timeZone")]),
].toSorted();
const known: ReadonlySet<string> = new Set(zones);
export const isZone = (text: string): boolean => known.has(text);

/** Of operators who have chosen none. */
export const serverZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface ZoneFormat {
  readonly seconds: Intl.DateTimeFormat;
  readonly minutes: Intl.DateTimeFormat;
  readonly clock: Intl.DateTimeFormat;
  readonly day: Intl.DateTimeFormat;
  readonly name: Intl.DateTimeFormat;
}

/** One for each zone and language that were used together; there are a few hundred zones. */
const formats = new Map<string, ZoneFormat>();

function formatOf(zone: string, language: ConsoleLanguage): ZoneFormat {
  const key = `${language.tag} ${zone}`;
  const found = formats.get(key);
  if (found !== undefined) return found;
  const locale = localeOf(language);
  // Swedes write dates as ISO 8601 does, which log and documentation have in English.
  const [digits, dateStyle] = language.tag === "en" ? (["sv-SE", "short"] as const) : ([locale, "medium"] as const);
  const format = {
    seconds: new Intl.DateTimeFormat(digits, { timeZone: zone, dateStyle, timeStyle: "medium", hourCycle: "h23" }),
    minutes: new Intl.DateTimeFormat(digits, { timeZone: zone, dateStyle, timeStyle: "short", hourCycle: "h23" }),
    clock: new Intl.DateTimeFormat(digits, { timeZone: zone, timeStyle: "short", hourCycle: "h23" }),
    day: new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }),
    // In Arabic, names of zones are longer than the time.
    name: new Intl.DateTimeFormat(language.direction === "rtl" ? "en-GB" : locale, {
      timeZone: zone,
      timeZoneName: "short",
    }),
  };
  formats.set(key, format);
  return format;
}

const zoneText = (name: Intl.DateTimeFormat, ms: number, zone: string): string =>
  name.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? zone;

/** `2030-05-06 15:55:02 CEST`, to the second or to the minute. */
export function exactText(
  ms: number,
  zone: string,
  language: ConsoleLanguage = englishLanguage,
  unit: "seconds" | "minutes" = "seconds",
): string {
  const { [unit]: digits, name } = formatOf(zone, language);
  return `${digits.format(ms)} ${zoneText(name, ms, zone)}`;
}

/** `15:55 CEST` today, otherwise with the date. */
function clockText(ms: number, { zone, nowMs, language }: Look): string {
  const { day, clock, name } = formatOf(zone, language);
  return day.format(ms) === day.format(nowMs)
    ? `${clock.format(ms)} ${zoneText(name, ms, zone)}`
    : exactText(ms, zone, language, "minutes");
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What lies further away than this is shown as a date. */
const nearMs = 7 * dayMs;

/** @param round what has passed is rounded down, and what is left up, so that it is never too little */
function amount(ms: number, round: (value: number) => number): readonly [count: number, unit: "min" | "h" | "days"] {
  const [minutes, hours] = [round(ms / minuteMs), round(ms / hourMs)];
  if (minutes < 60) return [minutes, "min"];
  if (hours < 48) return [hours, "h"];
  return [round(ms / dayMs), "days"];
}

/** `3 min ago`, `in 2 h`. Undefined for what is far away. */
export function relativeText(
  ms: number,
  nowMs: number,
  language: ConsoleLanguage = englishLanguage,
): string | undefined {
  const distance = nowMs - ms;
  const length = Math.abs(distance);
  if (length >= nearMs) return undefined;
  if (length < minuteMs) return textIn(language, distance >= 0 ? "time.now" : "time.soon");
  const [count, unit] = amount(length, distance > 0 ? Math.floor : Math.ceil);
  return textIn(language, `time.${distance > 0 ? "ago" : "in"}_${unit}`, { count: String(count) }, count);
}

const pattern = /<time( class="(?:exact|clock)")? datetime="([^"]*)">[^<]*<\/time>/gu;

/** A time of a sentence, such as `14:05 UTC`: of today, unless it has a date. */
function writtenClock(whole: string, text: string, look: Look): string {
  const today = new Date(look.nowMs).toISOString().slice(0, 10);
  const ms = Date.parse((text.length > 9 ? text : `${today} ${text}`).replace(/^(\S+) (\S+) UTC$/u, "$1T$2Z"));
  if (Number.isNaN(ms)) return whole;
  const own = clockText(ms, look);
  const title = own === clockText(ms, { ...look, zone: "UTC" }) ? "" : ` title="${text}"`;
  return `<time datetime="${new Date(ms).toISOString()}"${title}>${own}</time>`;
}

function written(whole: string, exact: string | undefined, iso: string, look: Look): string {
  if (exact === ' class="clock"') return writtenClock(whole, iso, look);
  const { zone, nowMs, language } = look;
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return whole;
  const [own, utc] = [exactText(ms, zone, language), exactText(ms, "UTC", language)];
  const relative = relativeText(ms, nowMs, language);
  const [text, more] =
    exact === undefined
      ? [relative ?? exactText(ms, zone, language, "minutes"), own === utc ? utc : `${own}, ${utc}`]
      : [own, [relative, own === utc ? undefined : utc].filter((part) => part !== undefined).join(", ")];
  const title = more === "" ? "" : ` title="${more}"`;
  return `<time${exact ?? ""} datetime="${iso}"${title}>${text}</time>`;
}

/** Writes a page for its reader: its texts, then its times. */
export const writePage = (page: Html, look: Look): string =>
  writeTimes(writeTexts(htmlText(page), look.language), look);

/**
 * Writes the times of a page, which `time` and `exactTime` have marked, for the reader of the page. Texts from elsewhere contain no element: `html`
 * has escaped them.
 */
export function writeTimes(markup: string, look: Look): string {
  return markup.replaceAll(pattern, (whole: string, exact: string | undefined, iso: string) =>
    written(whole, exact, iso, look),
  );
}
