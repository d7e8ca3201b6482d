import type { Sentence } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { englishLanguage } from "./console-languages.ts";
import { countryText, isTextKey, joined, percentText, type TextKey, t } from "./texts.ts";
import { figureIn, textIn } from "./write-texts.ts";

type Facts = Readonly<Record<string, string | number>>;

/** How a sentence is composed: as English for the management interface, or as marks for a page. */
interface Writing<T> {
  readonly put: (key: TextKey, values: Readonly<Record<string, T | string | number>>) => T;
  readonly join: (parts: readonly T[]) => T;
  readonly plain: (text: string) => T;
  readonly figure: (kind: "percent" | "country", value: string) => T;
  /** A time as `momentText` writes it. */
  readonly moment: (text: string) => T | string;
}

/** Why a sign-in ended as it did. */
export interface Reasoned {
  readonly outcome: string;
  readonly reason?: string | undefined;
  readonly rule?: string | undefined;
  /** Step of a sign-in on the pages; empty for others. */
  readonly step?: string | undefined;
}

function why<T>({ put, plain }: Writing<T>, { outcome, reason = "", rule = "?", step = "" }: Reasoned): T {
  if (outcome === "ok") {
    const key = `success.${step}`;
    return put(isTextKey(key) ? key : "success.any", {});
  }
  if (outcome === "blocked") return put("reason.blocked", { rule });
  if (reason === "policy" && rule !== "?") return put("denied.policy", { policy: rule });
  if (outcome === "undecided") return put("reason.undecided", { reason });
  const key = `reason.${reason}`;
  return isTextKey(key) ? put(key, {}) : plain(reason);
}

const textFact = (facts: Facts, name: string): string => String(facts[name] ?? "");

/** When, from where, by what and how often. With `own_`, the facts of the account's own sign-in. */
function about<T>({ put, join, moment: at }: Writing<T>, facts: Facts, prefix: "" | "own_"): T {
  const of = (name: string): string => textFact(facts, prefix + name);
  const { [`${prefix}count`]: count } = facts;
  const [time, address, protocol, client] = [of("at"), of("address"), of("protocol"), of("client")];
  return join([
    ...(time === "" ? [] : [put("about.at", { at: at(time) })]),
    ...(address === "" ? [] : [put("about.from", { address })]),
    ...(protocol === ""
      ? []
      : [client === "" ? put("about.by", { protocol }) : put("about.with", { protocol, client })]),
    ...(count === undefined ? [] : [put("about.run", { count, since: at(of("since")) })]),
  ]);
}

function cause<T>({ put }: Writing<T>, { failures, network = "", rule = "" }: Facts): T {
  return failures === undefined
    ? put("banned.many", { network, rule })
    : put("banned.failures", { count: failures, network, rule });
}

function found<T>({ put }: Writing<T>, facts: Facts): T {
  const [problems, warnings] = [Number(facts["problems"] ?? 0), Number(facts["warnings"] ?? 0)];
  const [some, more] = [put("found.problems", { count: problems }), put("found.warnings", { count: warnings })];
  if (warnings === 0) return some;
  return problems === 0 ? more : put("found.both", { problems: some, warnings: more });
}

/** Numbers with what is counted, which have plural forms of their own. */
const counted = ["codes", "attempts", "passwords", "banned"] as const;
/** The same, each with a number of its own. */
const countedBeside = ["accounts", "networks"] as const;
/** Actions of the console; each is the placeholder of its label. */
const actions = ["unban", "flush", "unlock", "resume"] as const;
/** Times, which pages write in the zone of their reader. */
const moments = ["at", "until", "since"] as const;
/** What every language writes in its own way. */
const figures = { share: "percent", country: "country" } as const;

const says = (key: TextKey, name: string): boolean => textIn(englishLanguage, key).includes(`{${name}}`);

function composed<T>(writing: Writing<T>, key: TextKey, facts: Facts): T {
  const { count = 0 } = facts;
  const counts = counted.filter((name) => says(key, name));
  const beside = countedBeside.filter((name) => says(key, name));
  const timed = moments.filter((name) => says(key, name));
  const figured = Object.entries(figures).filter(([name]) => says(key, name));
  return writing.put(key, {
    ...facts,
    ...Object.fromEntries(timed.map((name) => [name, writing.moment(textFact(facts, name))])),
    ...Object.fromEntries(counts.map((name) => [name, writing.put(`counted.${name}`, { count })])),
    ...Object.fromEntries(
      beside.map((name) => [name, writing.put(`counted.${name}`, { count: Number(facts[name] ?? 0) })]),
    ),
    ...Object.fromEntries(figured.map(([name, kind]) => [name, writing.figure(kind, textFact(facts, name))])),
    ...Object.fromEntries(
      actions.filter((id) => says(key, id)).map((id) => [id, writing.put(`action.${id}.label`, {})]),
    ),
    ...(says(key, "about") && { about: about(writing, facts, "") }),
    ...(says(key, "own") && { own: about(writing, facts, "own_") }),
    ...(says(key, "cause") && { cause: cause(writing, facts) }),
    ...(says(key, "found") && { found: found(writing, facts) }),
    ...(says(key, "why") && {
      why: why(writing, {
        outcome: textFact(facts, "outcome"),
        reason: textFact(facts, "reason"),
        rule: textFact(facts, "rule") || undefined,
        step: textFact(facts, "step"),
      }),
    }),
  });
}

const inEnglish: Writing<string> = {
  put: (key, values) => {
    const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
    const { count } = values;
    return textIn(englishLanguage, key, texts, typeof count === "number" ? count : undefined);
  },
  join: (parts) => parts.join(" "),
  plain: (text) => text,
  figure: (kind, value) => figureIn(englishLanguage, kind, value),
  moment: (text) => text,
};

/** `14:05 UTC`, with the date or without. */
const momentPattern = /^(?:\d{4}-\d{2}-\d{2} )?\d{2}:\d{2} UTC$/u;
/** Written in the reader's zone with the times of the page. */
const moment = (text: string): Html | string =>
  momentPattern.test(text) ? html`<time class="clock" datetime="${text}">${text}</time>` : text;

const onPages: Writing<Html> = {
  put: (key, values) => t(key, values),
  join: (parts) => joined(parts, " "),
  plain: (text) => html`${text}`,
  figure: (kind, value) => (kind === "country" ? countryText(value) : percentText(Number(value))),
  moment,
};

/** A sentence of the catalogue, for `englishOf` and `sentenceHtml`. */
export function sentence(code: TextKey, values: Facts = {}): Sentence {
  return { code, values: { ...values } };
}

/** Sentences as the management interface returns them. */
export function englishOf(sentences: readonly Sentence[]): string {
  return sentences
    .flatMap(({ code, values }) => (isTextKey(code) ? [composed(inEnglish, code, values)] : []))
    .join(" ");
}

/** Sentences for a page; the English text if they are absent, or one is of a later version. */
export function sentenceHtml(sentences: readonly Sentence[] | undefined, fallback: string): Html {
  const parts = (sentences ?? []).flatMap(({ code, values }) =>
    isTextKey(code) ? [composed(onPages, code, values)] : [],
  );
  return parts.length === 0 || parts.length < (sentences ?? []).length ? html`${fallback}` : joined(parts, " ");
}

/** Why a sign-in ended as it did, in a clause for operators. */
export const reasonText = (reasoned: Reasoned): string => why(inEnglish, reasoned);

/** The same for a page; the English text of a reason that the catalogue does not have. */
export function reasonHtml(reasoned: Reasoned & { readonly text: string }): Html {
  const { outcome, reason = "" } = reasoned;
  const isKnown = ["ok", "blocked", "undecided"].includes(outcome) || isTextKey(`reason.${reason}`);
  return isKnown ? why(onPages, reasoned) : html`${reasoned.text}`;
}
