import type { FastifyReply } from "fastify";
import { ownForm } from "../console-form.ts";
import { type ConsoleVisit, forOperator, goTo, sendNotice } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { searchedText } from "../searched-text.ts";
import { linksOf } from "../shown-values.ts";

const routes = { search: "consoleFind", account: "consoleFindAccount" } as const;

/** `POST /console/search` and `POST /console/account`: to the page whose address does not contain the text. */
export function postFind(deps: ConsolePagesDeps, page: keyof typeof routes) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, operator } = visit;
    const form = ownForm(deps, visit);
    if (form === undefined) return sendNotice(deps, reply, "form", operator);
    const query = searchedText(form.get("query") ?? "");
    if (query === "") return sendNotice(deps, reply, "empty", operator);
    await deps.sessions.remember(operator.cookie, query);
    return goTo(reply, linksOf(deps.handles, operator)[page](query));
  };
  return forOperator(deps, { route: routes[page], handle });
}
