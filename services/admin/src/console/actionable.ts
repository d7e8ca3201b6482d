import { isConsoleAction } from "@postern/shared/contracts";
import { compileCheck } from "@postern/shared/platform/http";
import { Type } from "typebox";
import type { Deed } from "../operators/act.ts";
import { parsedJson } from "../operators/operator-api.ts";
import type { Actionable } from "./action-forms.ts";
import { type ConsoleVisit, queryOf } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./context.ts";
import { linksOf, type SubjectLinks } from "./shown-values.ts";

const text = Type.Optional(Type.String());
const check = compileCheck(
  Type.Object({ id: Type.String(), target: Type.String(), note: Type.String(), item: text, lasts: text, text }),
);

type Handles = Pick<ConsolePagesDeps, "handles">;

/** What the operator had entered before the sign-in that the action needs, as `SubjectLinks.kept` wrote it. Undefined if there is nothing. */
function keptIn({ handles }: Handles, { request, operator }: ConsoleVisit): Deed | undefined {
  const kept = handles.read(operator.account, queryOf(request, "kept") ?? "");
  const value = kept === undefined ? undefined : parsedJson(kept);
  if (!check.accepts(value)) return undefined;
  const { id, ...entries } = value;
  return isConsoleAction(id) ? { id, ...entries } : undefined;
}

/** What a page with actions needs. @param next path of the page, to which its forms lead back */
export function actionableOn(
  deps: Handles & Pick<ConsolePagesDeps, "helpdesk">,
  visit: ConsoleVisit,
  next: (links: SubjectLinks) => string,
): Actionable {
  const { request, operator } = visit;
  const done = queryOf(request, "done") ?? "";
  const links = linksOf(deps.handles, operator);
  return {
    operator,
    helpdesk: deps.helpdesk(),
    links,
    next: next(links),
    done: isConsoleAction(done) ? done : undefined,
    kept: keptIn(deps, visit),
  };
}

/** What the handle of the page's address stands for: empty without one, and undefined if it is not the operator's or has expired. */
export function queryIn({ handles }: Handles, { request, operator }: ConsoleVisit): string | undefined {
  const handle = queryOf(request, "for") ?? "";
  return handle === "" ? "" : handles.read(operator.account, handle);
}
