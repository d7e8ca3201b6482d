import { type TProperties, type TSchema, Type } from "typebox";
import { parseDuration } from "../../time/duration.ts";
import { type FormName } from "../forms.ts";
import type { Reload } from "../tree/node.ts";

/** What documentation, environment names and redaction derive from, beside the description. */
interface KeyOptions {
  readonly reload?: Reload;
  readonly unit?: string;
  readonly form?: FormName;
  /** The key whose value applies while this one is not set. */
  readonly defaultFrom?: string;
  /** What the generated documents show for a key without a default. */
  readonly example?: string | readonly string[] | object;
}

interface TextOptions extends KeyOptions {
  readonly default?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface NumberOptions extends KeyOptions {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A text, by default not set. The empty text means "not set" and is not checked against `form`; it is rejected if `minLength` is set and the default is not empty. */
export const text = (description: string, options: TextOptions = {}) =>
  Type.String({ default: "", description, ...whenSet(options) });

export const requiredText = (description: string, options: Omit<TextOptions, "default"> = {}) =>
  Type.String({ description, ...options, minLength: options.minLength ?? 1 });

/** A text that no dump, log or document shows. It may be read from its own file. */
export const secret = (description: string, options: Omit<TextOptions, "default"> = {}) =>
  Type.String({ default: "", description, ...whenSet(options), secret: true });

/** True or false, by default false. */
export const flag = (description: string, options: KeyOptions & { readonly default?: boolean } = {}) =>
  Type.Boolean({ default: false, description, ...options });

export const integer = (value: number, description: string, options: NumberOptions = {}) =>
  Type.Integer({ default: value, minimum: 0, description, ...options });

export const decimal = (value: number, description: string, options: NumberOptions = {}) =>
  Type.Number({ default: value, minimum: 0, description, ...options });

/** Beyond 2^31 ms a timer of the runtime fires immediately; 24 days are less. */
export const longestTimerMs = 24 * 24 * 60 * 60 * 1000;

/** Written `1m30s` in files, a number of milliseconds in `Config`. */
export const duration = (value: string, description: string, options: NumberOptions = {}) =>
  Type.Number({
    default: milliseconds(value),
    minimum: 0,
    maximum: longestTimerMs,
    description,
    ...options,
    duration: true,
  });

/** One of several words, by default the first. */
export const choice = <const Values extends string[]>(
  values: readonly [...Values],
  description: string,
  options: KeyOptions & { readonly default?: Values[number] } = {},
) => Type.Enum<Values>(values, { default: values[0], description, ...options });

/** A list of texts, by default empty; in one text, commas separate them. */
export const texts = (
  description: string,
  options: KeyOptions & { readonly default?: readonly string[]; readonly minItems?: number } = {},
) => Type.Array(Type.String(), { default: [], description, ...options });

export const requiredTexts = (description: string, options: KeyOptions) =>
  Type.Array(Type.String(), { description, ...options, minItems: 1 });

/** A text, a number, true or false; the empty text means "not set". */
export const scalar = (description: string, options: KeyOptions = {}) =>
  Type.Union([Type.String(), Type.Number(), Type.Boolean()], { default: "", description, ...options });

/** A mapping with names and depth of the site's choice, checked by a validator. A variable holds it as JSON. */
export const structure = (description: string, options: KeyOptions = {}) =>
  Type.Unknown({ default: {}, description, ...options });

/** `reload` applies to every key below that does not set it. */
export const section = <Properties extends TProperties>(
  description: string,
  properties: Properties,
  options: { readonly reload?: Reload } = {},
) => Type.Object(properties, { ...options, description, additionalProperties: false });

/** A section whose keys a reload applies. */
export const liveSection = <Properties extends TProperties>(description: string, properties: Properties) =>
  section(description, properties, { reload: "live" });

/** A list of sections. */
export const entries = <Entry extends TSchema>(description: string, entry: Entry) =>
  Type.Array(entry, { description, default: [] });

/** Sections under names that the site chooses. */
export const named = <Entry extends TSchema>(description: string, entry: Entry) =>
  Type.Record(Type.String(), entry, { description, default: {} });

/** An unset text is empty, so the reader checks the minimum length, not the schema. */
function whenSet({ minLength, ...options }: TextOptions) {
  return minLength === undefined ? options : { ...options, minLengthWhenSet: minLength };
}

function milliseconds(value: string): number {
  const parsed = parseDuration(value);
  if (parsed === undefined) throw new TypeError(`not a duration: ${value}`);
  return parsed;
}
