import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";

export interface SchemaCheck<Schema extends TSchema> {
  accepts(value: unknown): value is Static<Schema>;
  /** Where the value differs, without the value itself: it may be a secret. */
  explain(value: unknown): string;
}

/** Compiles a schema once. Unknown additional members pass: a newer peer may send them. */
export function compileCheck<Schema extends TSchema>(schema: Schema): SchemaCheck<Schema> {
  const validator = Compile<TSchema>(schema);
  return {
    accepts: (value): value is Static<Schema> => validator.Check(value),
    explain(value) {
      const [first] = validator.Errors(value);
      return first === undefined ? "no difference" : `${first.instancePath || "/"}: ${first.keyword}`;
    },
  };
}
