import { isConsoleAction } from "@postern/shared/contracts";
import { compileCheck } from "@postern/shared/platform/http";
import { Type } from "typebox";
import type { Deed } from "../operators/act.ts";
import type { SubjectHandles } from "../operators/subject-handles.ts";
import { type ConsoleVisit, queryOf } from "./console-visit.ts";

const text = Type.Optional(Type.String());
const check = compileCheck(
  Type.Object({ id: Type.String(), target: Type.String(), note: Type.String(), item: text, lasts: text, text }),
);

function parsed(kept: string): unknown {
  try {
    return JSON.parse(kept);
  } catch {
    return undefined;
  }
}

/** What the operator had entered before the sign-in that the action needs, as `SubjectLinks.kept` wrote it. Undefined if there is nothing. */
export function keptIn(
  handles: SubjectHandles,
  { request, operator }: Pick<ConsoleVisit, "request" | "operator">,
): Deed | undefined {
  const kept = handles.read(operator.account, queryOf(request, "kept") ?? "");
  const value = kept === undefined ? undefined : parsed(kept);
  if (!check.accepts(value)) return undefined;
  const { id, ...entries } = value;
  return isConsoleAction(id) ? { id, ...entries } : undefined;
}
