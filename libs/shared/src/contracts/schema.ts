import { type TLiteral, type TObjectOptions, type TProperties, type TStringOptions, type TUnion, Type } from "typebox";

/** An object with a name of its own in the OpenAPI documents. */
export function component<Properties extends TProperties>(
  title: string,
  properties: Properties,
  options: TObjectOptions = {},
) {
  return Type.Object(properties, { title, ...options });
}

export const text = (description: string, limits: TStringOptions = {}) => Type.String({ ...limits, description });
export const optionalText = (description: string, limits: TStringOptions = {}) =>
  Type.Optional(text(description, limits));
export const texts = (description: string) => Type.Array(Type.String(), { description });
export const flag = (description: string) => Type.Boolean({ description });
export const optionalFlag = (description: string) => Type.Optional(flag(description));
/** Date and time as RFC 3339 writes them. */
export const time = (description: string) => Type.String({ format: "date-time", description });

export function oneOf<const Words extends readonly string[]>(
  ...words: Words
): TUnion<{ -readonly [Index in keyof Words]: TLiteral<Words[Index] & string> }>;
export function oneOf(...words: readonly string[]) {
  return Type.Union(words.map((word) => Type.Literal(word)));
}
