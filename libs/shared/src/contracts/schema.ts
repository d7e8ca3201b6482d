import {
  type TLiteral,
  type TObjectOptions,
  type TProperties,
  type TSchema,
  type TStringOptions,
  type TUnion,
  Type,
} from "typebox";

/** An object with a name of its own in the OpenAPI documents. */
export function component<Properties extends TProperties>(
  title: string,
  properties: Properties,
  options: TObjectOptions = {},
) {
  return Type.Object(properties, { title, ...options });
}

export const text = (description: string, limits: TStringOptions = {}) => Type.String({ ...limits, description });
export const texts = (description: string) => list(description, Type.String());
export const textsByName = (description: string) =>
  Type.Record(Type.String(), Type.Array(Type.String()), { description });
export const flag = (description: string) => Type.Boolean({ description });
export const integer = (description: string) => Type.Integer({ description });
export const count = (description?: string, minimum = 0) =>
  Type.Integer({ minimum, ...(description !== undefined && { description }) });
/** Date and time as RFC 3339 writes them. */
export const time = (description: string) => Type.String({ format: "date-time", description });
export const list = <Item extends TSchema>(description: string, item: Item) => Type.Array(item, { description });
export const object = <Fields extends TProperties>(description: string, fields: Fields) =>
  Type.Object(fields, { description });
/** A list of objects with these members. */
export const records = <Fields extends TProperties>(description: string, fields: Fields) =>
  list(description, Type.Object(fields));

export const optional = Type.Optional;
export const optionalText = (description: string, limits: TStringOptions = {}) => optional(text(description, limits));
export const optionalFlag = (description: string) => optional(flag(description));
export const optionalCount = (description: string, minimum = 0) => optional(count(description, minimum));

export function oneOf<const Words extends readonly string[]>(
  ...words: Words
): TUnion<{ -readonly [Index in keyof Words]: TLiteral<Words[Index] & string> }>;
export function oneOf(...words: readonly string[]) {
  return Type.Union(words.map((word) => Type.Literal(word)));
}
