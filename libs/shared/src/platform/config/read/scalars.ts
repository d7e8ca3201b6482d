import { isMapping, parsedJson } from "../../json/index.ts";
import { formatDuration, parseDuration } from "../../time/duration.ts";
import { checkForm, inOneSpelling } from "../forms.ts";
import { messages } from "../messages.ts";
import type { LeafNode, LeafType, LeafValue } from "../tree/node.ts";

export type Parsed =
  | { readonly ok: true; readonly value: LeafValue }
  | { readonly ok: false; readonly reason: string; readonly hint?: string | undefined };

const parsers: Readonly<Record<LeafType, (node: LeafNode, raw: unknown) => Parsed>> = {
  text: parseText,
  scalar: parseScalar,
  flag: parseFlag,
  integer: (node, raw) => parseNumber(node, raw, /^-?\d{1,15}$/, "a whole number"),
  number: (node, raw) => parseNumber(node, raw, /^-?\d{1,15}(?:\.\d{1,9})?$/, "a number"),
  duration: parseDurationLeaf,
  choice: parseChoice,
  texts: parseTexts,
  structure: parseStructure,
};

/** Parses a value from a file or a variable. Numbers and booleans may be given as text, because variables are text. */
export function parseLeaf(node: LeafNode, raw: unknown): Parsed {
  return parsers[node.type](node, raw);
}

function parseText(node: LeafNode, raw: unknown): Parsed {
  if (typeof raw !== "string") return wrongType(raw, "a string");
  if (raw === "") return parseEmptyText(node);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = node;
  if (raw.length < minLength) return fail(messages.tooShort(minLength));
  if (raw.length > maxLength) return fail(messages.tooLong(maxLength));
  return checkItem(node, raw) ?? ok(raw);
}

/** The empty text means "not set", which only some keys may be. */
function parseEmptyText({ default: value, minLength = 0 }: LeafNode): Parsed {
  if (value === undefined) return fail(messages.required);
  return value === "" || minLength === 0 ? ok("") : fail(messages.tooShort(minLength));
}

function parseScalar(_node: LeafNode, raw: unknown): Parsed {
  const isFinite = typeof raw !== "number" || Number.isFinite(raw);
  const isScalar = typeof raw === "string" || typeof raw === "number" || typeof raw === "boolean";
  return isScalar && isFinite ? ok(raw) : fail(messages.mustBe("a string, a number, true or false"));
}

function parseFlag(_node: LeafNode, raw: unknown): Parsed {
  if (raw === true || raw === "true") return ok(true);
  if (raw === false || raw === "false") return ok(false);
  return fail(messages.mustBe("true or false"));
}

function parseNumber(node: LeafNode, raw: unknown, pattern: RegExp, expected: string): Parsed {
  const written = typeof raw === "number" ? String(raw) : raw;
  if (typeof written !== "string" || !pattern.test(written)) return fail(messages.mustBe(expected));
  return withinBounds(node, Number(written), String);
}

function parseDurationLeaf(node: LeafNode, raw: unknown): Parsed {
  if (raw === 0 || raw === "0") return withinBounds(node, 0, formatDuration);
  const parsed = typeof raw === "string" ? parseDuration(raw) : undefined;
  if (parsed === undefined) return fail(messages.mustBe("a duration"), messages.withUnit);
  return withinBounds(node, parsed, formatDuration);
}

function parseChoice(node: LeafNode, raw: unknown): Parsed {
  const choices = node.choices.filter((choice) => choice !== "");
  if (typeof raw === "string" && node.choices.includes(raw)) return ok(raw);
  return fail(messages.mustBe(`one of ${choices.join(", ")}`));
}

function parseTexts(node: LeafNode, raw: unknown): Parsed {
  const items: unknown = typeof raw === "string" ? splitList(raw) : raw;
  if (!Array.isArray(items)) return fail(messages.mustBe("a list of strings"));
  if (!items.every((item) => typeof item === "string")) return wrongType(items.find(isNoText), "a list of strings");
  const { minItems = 0 } = node;
  if (items.length < minItems) return fail(messages.tooFew(minItems));
  const spelled = items.map((item) => inOneSpelling(node.form, item));
  return items.map((item) => checkItem(node, item)).find((problem) => problem !== undefined) ?? ok(spelled);
}

/** A variable holds JSON. */
function parseStructure(_node: LeafNode, raw: unknown): Parsed {
  const value = typeof raw === "string" ? parsedJson(raw) : raw;
  return isMapping(value) ? ok(value) : fail(messages.mustBe("a mapping"));
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function isNoText(item: unknown): boolean {
  return typeof item !== "string";
}

function checkItem(node: LeafNode, value: string): Parsed | undefined {
  const expected = node.form === undefined ? undefined : checkForm(node.form, value);
  return expected === undefined ? undefined : fail(messages.mustBe(expected));
}

function withinBounds(node: LeafNode, value: number, format: (value: number) => string): Parsed {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = node;
  if (value < minimum) return fail(messages.tooSmall(format(minimum)));
  return value > maximum ? fail(messages.tooLarge(format(maximum))) : ok(value);
}

function wrongType(raw: unknown, expected: string): Parsed {
  const isScalar = typeof raw === "number" || typeof raw === "boolean";
  return fail(messages.mustBe(expected), isScalar ? messages.quoteIt : undefined);
}

function ok(value: LeafValue): Parsed {
  return { ok: true, value };
}

function fail(reason: string, hint?: string): Parsed {
  return { ok: false, reason, hint };
}
