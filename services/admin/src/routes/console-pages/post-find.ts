import type { SubjectLinks } from "../../pages/shown-values.ts";
import { ownForm } from "./console-form.ts";
import { forOperator, goTo, sendNotice } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";
import { linksOf } from "./subject-links.ts";

const longest = 1024;

/** `POST /console/search` and `POST /console/account`: to the page whose address does not contain the text. */
export function postFind(deps: ConsolePagesDeps, page: keyof SubjectLinks) {
  return forOperator(deps, async (visit) => {
    const { reply, operator } = visit;
    const form = ownForm(deps, visit);
    if (form === undefined) return sendNotice(deps, reply, "form", operator);
    const query = form.get("query")?.trim().slice(0, longest) ?? "";
    return query === ""
      ? sendNotice(deps, reply, "empty", operator)
      : goTo(reply, linksOf(deps.handles, operator)[page](query));
  });
}
