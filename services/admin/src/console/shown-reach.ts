import type { Operator } from "../operators/operator.ts";
import type { ShownReach } from "./action-forms.ts";
import type { ConsolePagesDeps } from "./deps.ts";

/** Never rejects: a page that cannot tell shows everything but the actions. */
export async function shownReach(
  { findReach }: Pick<ConsolePagesDeps, "findReach">,
  operator: Operator,
  name: string | undefined,
): Promise<ShownReach> {
  if (name === undefined) return "allowed";
  try {
    return (await findReach(operator, name)).kind;
  } catch {
    return "undecided";
  }
}
