import { filledText } from "@postern/shared/domain/localisation";
import { type Html, htmlText } from "@postern/shared/platform/pages";
import { type ConsoleLanguage, englishLanguage } from "./console-languages.ts";
import { isTextKey } from "./texts.ts";

/** Digits are Latin ones in every language, as in addresses, logs and commands beside them. */
export const localeOf = ({ tag }: Pick<ConsoleLanguage, "tag">): string => `${tag === "en" ? "en-GB" : tag}-u-nu-latn`;

const commas: Readonly<Record<string, string>> = { ar: "، ", ja: "、", zh: "、" };

type Figure = (value: string) => string;

function figuresIn(language: ConsoleLanguage): Readonly<Record<string, Figure>> {
  const locale = localeOf(language);
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
  const rough = new Intl.NumberFormat(locale, { maximumSignificantDigits: 2, useGrouping: false });
  const weekday = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric", timeZone: "UTC" });
  const date = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const countries = new Intl.DisplayNames(locale, { type: "region", fallback: "code" });
  return {
    count: (value) => whole.format(Number(value)),
    axis: (value) => (Number(value) < 100_000 ? whole : compact).format(Number(value)),
    percent: (value) => `${rough.format(Number(value) * 100)}\u00A0%`,
    rough: (value) => rough.format(Number(value)),
    ms: (value) =>
      Number(value) >= 1000 ? `${rough.format(Number(value) / 1000)} s` : `${rough.format(Number(value))} ms`,
    weekday: (value) => weekday.format(Number(value)),
    date: (value) => date.format(Number(value)),
    comma: () => commas[language.tag] ?? ", ",
    country: (value) => countries.of(value) ?? value,
  };
}

const categories: Readonly<Record<number, readonly Intl.LDMLPluralRule[]>> = {
  1: ["other"],
  2: ["one", "other"],
  3: ["one", "few", "many"],
  6: ["zero", "one", "two", "few", "many", "other"],
};

/** The form for a number. A language without a form for it has the last one: that of millions in French is that of other numbers. */
function formOf(text: string, count: number, rules: Intl.PluralRules): string {
  const forms = text.split("|");
  const index = categories[forms.length]?.indexOf(rules.select(count)) ?? 0;
  return forms.at(index) ?? text;
}

interface Writer {
  readonly figures: Readonly<Record<string, Figure>>;
  readonly rules: Intl.PluralRules;
}

/** One for each language in use. */
const writers = new Map<string, Writer>();

function writerOf(language: ConsoleLanguage): Writer {
  const found = writers.get(language.tag);
  if (found !== undefined) return found;
  const writer = { figures: figuresIn(language), rules: new Intl.PluralRules(language.tag) };
  writers.set(language.tag, writer);
  return writer;
}

/** A figure of the catalogue in a language, such as a percentage. */
export const figureIn = (language: ConsoleLanguage, kind: string, value: string): string =>
  writerOf(language).figures[kind]?.(value) ?? value;

/** A text of the catalogue in a language. @param count selects the plural form */
export function textIn(
  language: ConsoleLanguage,
  key: string,
  values: Readonly<Record<string, string>> = {},
  count?: number,
): string {
  const text = isTextKey(key) ? language.texts[key] : key;
  const form = count === undefined ? text : formOf(text, count, writerOf(language).rules);
  return filledText(form, values, language.direction);
}

/** A text whose values are being read. */
interface Frame {
  readonly key: string;
  readonly values: Record<string, string>;
  name: string;
  count: number | undefined;
}

const frameOf = (key: string): Frame => ({ key, values: {}, name: "", count: undefined });

function append(frame: Frame | undefined, text: string): void {
  if (frame !== undefined) frame.values[frame.name] = (frame.values[frame.name] ?? "") + text;
}

const marks = /<t:([\w.-]+)>|<v:(\w+)>|<n:(\w+):([^<>]*)>|<t>/gu;

/** Writes the texts and numbers of a page, which `t` and its like have marked, in a language. */
export function writeTexts(markup: string, language: ConsoleLanguage): string {
  const { figures } = writerOf(language);
  const page = frameOf("");
  const frames = [page];
  let last = 0;
  for (const { 0: whole, 1: key, 2: name, 3: kind, 4: value = "", index } of markup.matchAll(marks)) {
    const frame = frames.at(-1) ?? page;
    append(frame, markup.slice(last, index));
    last = index + whole.length;
    if (key !== undefined) frames.push(frameOf(key));
    else if (name !== undefined) {
      frame.name = name;
      append(frame, "");
    } else if (kind !== undefined) {
      if (frame.name === "count") frame.count = Number(value);
      append(frame, figures[kind]?.(value) ?? value);
    } else {
      frames.pop();
      append(frames.at(-1), textIn(language, frame.key, frame.values, frame.count));
    }
  }
  append(page, markup.slice(last));
  return page.values[""] ?? "";
}

export const englishText = (part: Html): string => writeTexts(htmlText(part), englishLanguage);
