import type { Static, TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { explainDifference } from "./explain-difference.ts";

export interface SchemaCheck<Schema extends TSchema> {
  accepts(value: unknown): value is Static<Schema>;
  /** Describes which field violates which rule, without the value, which may be a secret. */
  explain(value: unknown): string;
}

/** Compiles a schema at its first use. Unknown members pass, because a newer peer may send them. */
export function compileCheck<Schema extends TSchema>(schema: Schema): SchemaCheck<Schema> {
  let compiled: Validator | undefined;
  const validator = (): Validator => {
    compiled ??= Compile<TSchema>(schema);
    return compiled;
  };
  return {
    accepts: (value): value is Static<Schema> => validator().Check(value),
    explain(value) {
      return explainDifference(schema, validator().Errors(value).at(-1));
    },
  };
}
