/**
 * Values of the decoder: the JSON data model and byte strings. Maps keep their order, and a key such as `__proto__` is an ordinary key.
 */
export type CborValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly CborValue[]
  | ReadonlyMap<string, CborValue>;

/** Values that the encoder accepts. Numbers must be integers within ±(2^53-1). */
export type CborEncodable =
  | null
  | boolean
  | number
  | string
  | readonly CborEncodable[]
  | { readonly [key: string]: CborEncodable };
