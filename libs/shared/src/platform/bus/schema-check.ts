import type { Static, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { explainDifference } from "./explain-difference.ts";

export interface SchemaCheck<Schema extends TSchema> {
  accepts(value: unknown): value is Static<Schema>;
  /** Describes which field violates which rule, without the value, which may be a secret. */
  explain(value: unknown): string;
}

/** Compiles a schema once. Unknown members pass, because a newer peer may send them. */
export function compileCheck<Schema extends TSchema>(schema: Schema): SchemaCheck<Schema> {
  const validator = Compile<TSchema>(schema);
  return {
    accepts: (value): value is Static<Schema> => validator.Check(value),
    explain(value) {
      return explainDifference(schema, validator.Errors(value).at(-1));
    },
  };
}
