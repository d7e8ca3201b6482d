import { parseDuration } from "../../time/duration.ts";
import type { CollectionNode, LeafNode, LeafType, Reload, SchemaNode, SectionNode, ValueOf } from "../tree/node.ts";

type KeyOptions = Pick<LeafNode, "reload" | "unit" | "form" | "defaultFrom" | "example">;
type TextOptions = KeyOptions & Pick<LeafNode, "minLength" | "maxLength"> & { readonly default?: string };
type NumberOptions = KeyOptions & Pick<LeafNode, "minimum" | "maximum">;

const leaf = <Value>(
  type: LeafType,
  description: string,
  options: Omit<Partial<LeafNode>, "valueType">,
): LeafNode<Value> => ({ secret: false, choices: [], ...options, kind: "leaf", type, description });

/** A text, by default not set. The empty text means "not set" and is not checked against `form`; it is rejected if `minLength` is set and the default is not empty. */
export const text = (description: string, options: TextOptions = {}) =>
  leaf<string>("text", description, { default: "", ...options });

export const requiredText = (description: string, options: Omit<TextOptions, "default"> = {}) =>
  leaf<string>("text", description, { minLength: 1, ...options });

/** A text that no dump, log or document shows. It may be read from its own file. */
export const secret = (description: string, options: Omit<TextOptions, "default"> = {}) =>
  leaf<string>("text", description, { default: "", ...options, secret: true });

/** True or false, by default false. */
export const flag = (description: string, options: KeyOptions & { readonly default?: boolean } = {}) =>
  leaf<boolean>("flag", description, { default: false, ...options });

export const integer = (value: number, description: string, options: NumberOptions = {}) =>
  leaf<number>("integer", description, { default: value, minimum: 0, ...options });

export const decimal = (value: number, description: string, options: NumberOptions = {}) =>
  leaf<number>("number", description, { default: value, minimum: 0, ...options });

export const hourMs = 60 * 60 * 1000;
export const dayMs = 24 * hourMs;
export const yearMs = 365 * dayMs;
/** Beyond 2^31 ms a timer of the runtime fires immediately; 24 days are less. */
export const longestTimerMs = 24 * dayMs;

/** Written `1m30s` in files, a number of milliseconds in `Config`. */
export const duration = (value: string, description: string, options: NumberOptions = {}) =>
  leaf<number>("duration", description, {
    default: milliseconds(value),
    minimum: 0,
    maximum: longestTimerMs,
    ...options,
  });

/** One of several words, by default the first. */
export const choice = <const Word extends string>(
  choices: readonly [Word, ...Word[]],
  description: string,
  options: KeyOptions & { readonly default?: NoInfer<Word> } = {},
) => leaf<Word>("choice", description, { choices, default: choices[0], ...options });

/** A list of texts, by default empty; in one text, commas separate them. */
export const texts = (
  description: string,
  options: KeyOptions & { readonly default?: readonly string[]; readonly minItems?: number } = {},
) => leaf<readonly string[]>("texts", description, { default: [], ...options });

export const requiredTexts = (description: string, options: KeyOptions) =>
  leaf<readonly string[]>("texts", description, { ...options, minItems: 1 });

/** A text, a number, true or false; the empty text means "not set". */
export const scalar = (description: string, options: KeyOptions = {}) =>
  leaf<string | number | boolean>("scalar", description, { default: "", ...options });

/** A mapping with names and depth of the site's choice, checked by a validator. A variable holds it as JSON. */
export const structure = (description: string, options: KeyOptions = {}) =>
  leaf<unknown>("structure", description, { default: {}, ...options });

/** `reload` applies to every key below that does not set it. */
export const section = <const Children extends Readonly<Record<string, SchemaNode>>>(
  description: string,
  children: Children,
  { reload }: Pick<LeafNode, "reload"> = {},
): SectionNode<{ readonly [Name in keyof Children]: ValueOf<Children[Name]> }> =>
  withReload({ kind: "section", description, children: new Map(Object.entries(children)) }, reload);

/** A section whose keys a reload applies. */
export const liveSection = <const Children extends Readonly<Record<string, SchemaNode>>>(
  description: string,
  children: Children,
) => section(description, children, { reload: "live" });

function withReload<Value>(node: SectionNode<Value>, reload: Reload | undefined): SectionNode<Value> {
  if (reload === undefined) return node;
  const children = [...node.children].map(([name, child]): [string, SchemaNode] => {
    if (child.kind === "leaf") return [name, { ...child, reload: child.reload ?? reload }];
    if (child.kind === "section") return [name, withReload(child, reload)];
    return [name, { ...child, entry: withReload(child.entry, reload) }];
  });
  return { ...node, children: new Map(children) };
}

/** A list of sections. */
export const entries = <Value>(description: string, entry: SectionNode<Value>): CollectionNode<readonly Value[]> => ({
  kind: "list",
  description,
  entry,
});

/** Sections under names that the site chooses. */
export const named = <Value>(
  description: string,
  entry: SectionNode<Value>,
): CollectionNode<Readonly<Record<string, Value>>> => ({ kind: "map", description, entry });

function milliseconds(value: string): number {
  const parsed = parseDuration(value);
  if (parsed === undefined) throw new TypeError(`not a duration: ${value}`);
  return parsed;
}
