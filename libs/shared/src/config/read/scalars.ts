import { formatDuration, parseDuration } from "../../time/duration.ts";
import { checkForm } from "../forms.ts";
import { messages } from "../messages.ts";
import type { LeafNode, LeafType, LeafValue } from "../tree/node.ts";
import { isMapping } from "../tree/walk.ts";

export type Parsed =
  | { readonly ok: true; readonly value: LeafValue }
  | { readonly ok: false; readonly reason: string; readonly hint?: string | undefined };

const parsers: Readonly<Record<LeafType, (node: LeafNode, given: unknown) => Parsed>> = {
  text: parseText,
  flag: parseFlag,
  integer: (node, given) => parseNumber(node, given, /^-?\d{1,15}$/, "a whole number"),
  number: (node, given) => parseNumber(node, given, /^-?\d{1,15}(?:\.\d{1,9})?$/, "a number"),
  duration: parseDurationLeaf,
  choice: parseChoice,
  texts: parseTexts,
  structure: parseStructure,
};

/** Reads what a file or a variable gives for one key. Texts stand for numbers and flags too: variables are texts. */
export function parseLeaf(node: LeafNode, given: unknown): Parsed {
  return parsers[node.type](node, given);
}

function parseText(node: LeafNode, given: unknown): Parsed {
  if (typeof given !== "string") return wrongType(given, "a text");
  if (given === "") return parseEmptyText(node);
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = node;
  if (given.length < minLength) return fail(messages.tooShort(minLength));
  if (given.length > maxLength) return fail(messages.tooLong(maxLength));
  return checkItem(node, given) ?? ok(given);
}

/** The empty text means "not set", which only some keys may be. */
function parseEmptyText({ default: value, minLength = 0 }: LeafNode): Parsed {
  if (value === undefined) return fail(messages.required);
  return value === "" || minLength === 0 ? ok("") : fail(messages.tooShort(minLength));
}

function parseFlag(_node: LeafNode, given: unknown): Parsed {
  if (given === true || given === "true") return ok(true);
  if (given === false || given === "false") return ok(false);
  return fail(messages.mustBe("true or false"));
}

function parseNumber(node: LeafNode, given: unknown, pattern: RegExp, expected: string): Parsed {
  const written = typeof given === "number" ? String(given) : given;
  if (typeof written !== "string" || !pattern.test(written)) return fail(messages.mustBe(expected));
  return withinBounds(node, Number(written), String);
}

function parseDurationLeaf(node: LeafNode, given: unknown): Parsed {
  if (given === 0 || given === "0") return withinBounds(node, 0, formatDuration);
  const parsed = typeof given === "string" ? parseDuration(given) : undefined;
  if (parsed === undefined) return fail(messages.mustBe("a duration"), messages.withUnit);
  return withinBounds(node, parsed, formatDuration);
}

function parseChoice(node: LeafNode, given: unknown): Parsed {
  const choices = node.choices.filter((choice) => choice !== "");
  if (typeof given === "string" && node.choices.includes(given)) return ok(given);
  return fail(messages.mustBe(`one of ${choices.join(", ")}`));
}

function parseTexts(node: LeafNode, given: unknown): Parsed {
  const items: unknown = typeof given === "string" ? splitList(given) : given;
  if (!Array.isArray(items)) return fail(messages.mustBe("a list of texts"));
  if (!items.every((item) => typeof item === "string")) return wrongType(items.find(isNoText), "a list of texts");
  const { minItems = 0 } = node;
  if (items.length < minItems) return fail(messages.tooFew(minItems));
  return items.map((item) => checkItem(node, item)).find((problem) => problem !== undefined) ?? ok(items);
}

function parseStructure(_node: LeafNode, given: unknown): Parsed {
  const value = typeof given === "string" ? jsonOf(given) : given;
  return isMapping(value) ? ok(value) : fail(messages.mustBe("a mapping"));
}

/** A variable holds JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

function wrongType(given: unknown, expected: string): Parsed {
  const isScalar = typeof given === "number" || typeof given === "boolean";
  return fail(messages.mustBe(expected), isScalar ? messages.quoteIt : undefined);
}

function ok(value: LeafValue): Parsed {
  return { ok: true, value };
}

function fail(reason: string, hint?: string): Parsed {
  return { ok: false, reason, hint };
}
