import { type Html, html, trustedHtml } from "@postern/shared/platform/pages";
import en from "./en.json" with { type: "json" };

/** Texts of the console. Keys are `<page>.<part>`; `{name}` is filled in. A text that counts has its plural forms between bars. */
export type TextKey = keyof typeof en;
export type Catalogue = Readonly<Record<TextKey, string>>;

export const english: Catalogue = en;

export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(english, key);
}

/** `count` selects the plural form. Numbers are written as counts. */
export type TextValues = Readonly<Record<string, string | number | Html | readonly Html[] | undefined>>;

/** What a mark may be replaced with; `html` escapes the characters that begin a mark in every other text. */
const mark = (name: string): Html => trustedHtml(`<${name}>`);

/** A count, as the reader's language writes it. */
export const countText = (count: number): Html => mark(`n:count:${count}`);
/** A number of an axis, in at most about four characters. */
export const axisText = (value: number): Html => mark(`n:axis:${value}`);
/** Of decisions; small parts matter. */
export const percentText = (share: number): Html => mark(`n:percent:${share}`);
/** A number with two significant digits. */
export const roughText = (value: number): Html => mark(`n:rough:${value}`);
export const millisecondsText = (ms: number): Html => mark(`n:ms:${ms}`);
/** A day of the week (UTC), such as `Mon 6`. */
export const weekdayText = (ms: number): Html => mark(`n:weekday:${ms}`);
/** A date (UTC), such as `6 May`. */
export const dateText = (ms: number): Html => mark(`n:date:${ms}`);
/** A country by its code (ISO 3166-1). */
export const countryText = (code: string): Html =>
  /^[A-Z]{2}$/u.test(code) ? mark(`n:country:${code}`) : html`${code}`;

/** A text in the language of whoever reads the page: `writeTexts` replaces it when the page is written. */
export function t(key: TextKey, values: TextValues = {}): Html {
  const parts = Object.entries(values).map(
    ([name, value]) => html`${mark(`v:${name}`)}${typeof value === "number" ? countText(value) : value}`,
  );
  return html`${mark(`t:${key}`)}${parts}${mark("t")}`;
}

/** A code in words. One that the catalogue does not have is shown as it is. */
export function word(group: string, code: string): Html {
  const key = `${group}.${code}`;
  return isTextKey(key) ? t(key) : html`${code}`;
}

/** A role of the console, with its name in the configuration where the language has another word. */
export const roleWord = (role: string): Html => word("role", role);

/** What a finding is about, such as `service idp`: its first word is a kind. */
export function subjectText(subject: string): Html {
  const [kind = "", ...names] = subject.split(" ");
  return html`${word("subject", kind)}${names.length > 0 && ` ${names.join(" ")}`}`;
}

interface Form {
  readonly key: TextKey;
  readonly pattern: RegExp;
}

const special = /[\\^$.*+?()[\]{}|]/gu;

/** The English texts of a group, as what they match. */
const forms = new Map<string, readonly Form[]>();

function formsOf(group: string): readonly Form[] {
  const present = forms.get(group);
  if (present !== undefined) return present;
  const keys = Object.keys(english).filter((key) => isTextKey(key) && key.startsWith(`${group}.`));
  const all = keys.filter(isTextKey).map((key) => {
    const parts = (english[key].split("|").at(-1) ?? "").split(/(\{\w+\})/u);
    const source = parts.map((part) =>
      part.startsWith("{") ? `(?<${part.slice(1, -1)}>.+)` : part.replaceAll(special, String.raw`\$&`),
    );
    return { key, pattern: new RegExp(`^${source.join("")}$`, "su") };
  });
  forms.set(group, all);
  return all;
}

/** A text that engines or the management interface have in English, and that the catalogue has; otherwise what is given for it. */
export function known(group: string, sentence: string, otherwise: Html = html`${sentence}`): Html {
  for (const { key, pattern } of formsOf(group)) {
    const found = pattern.exec(sentence);
    if (found === null) continue;
    const { country, ...values } = found.groups ?? {};
    return t(key, { ...values, ...(country !== undefined && { country: countryText(country) }) });
  }
  return otherwise;
}

/** Between the parts of a list. */
export const comma = mark("n:comma:");

/** Parts with something between them. */
export function joined(parts: readonly (Html | string | undefined | false)[], separator: Html | string = comma): Html {
  const present = parts.filter((part) => part !== undefined && part !== false && part !== "");
  return html`${present.map((part, index) => html`${index > 0 && separator}${part}`)}`;
}
