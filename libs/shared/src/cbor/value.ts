/**
 * What the decoder makes: JSON's model and byte strings. Maps keep their order, and a key such as `__proto__` is a key
 * like any other.
 */
export type CborValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly CborValue[]
  | ReadonlyMap<string, CborValue>;

/** What the encoder takes. Numbers are integers within ±(2^53-1). */
export type CborEncodable =
  | null
  | boolean
  | number
  | string
  | readonly CborEncodable[]
  | { readonly [key: string]: CborEncodable };
