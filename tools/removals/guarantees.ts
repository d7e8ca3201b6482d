import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { parse } from "yaml";

const Sections = Type.Array(
  Type.Object({
    title: Type.String(),
    /** Heading of the first column. */
    subject: Type.Optional(Type.String()),
    /** The section is not on the page for operators, and its rows need no removal. */
    internal: Type.Optional(Type.Boolean()),
    rows: Type.Array(
      Type.Object({
        event: Type.Optional(Type.String()),
        guarantee: Type.String(),
        tests: Type.Array(Type.String(), { minItems: 1 }),
      }),
    ),
  }),
);

export const sections = Value.Parse(
  Sections,
  parse(readFileSync(join(import.meta.dirname, "../../test/guarantees.yaml"), "utf8")),
);

export interface Guarantee {
  /** Event and guarantee in one text, by parts of which removals name it. */
  readonly row: string;
  readonly tests: readonly string[];
}

export function guaranteesOf({ rows }: (typeof sections)[number]): readonly Guarantee[] {
  return rows.map(({ event, guarantee, tests }) => ({
    row: event === undefined ? guarantee : `${event}: ${guarantee}`,
    tests,
  }));
}

/** Each of these needs a removal, or a reason why there is none. */
export const promised: readonly Guarantee[] = sections
  .filter(({ internal }) => internal !== true)
  .flatMap(guaranteesOf);
