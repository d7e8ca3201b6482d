import type { Static, TSchema } from "typebox";

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** The type of a stored record, as its schema describes it. */
export type Stored<Schema extends TSchema> = Frozen<Static<Schema>>;
