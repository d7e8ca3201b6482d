import { SignInOrigins } from "@postern/shared/contracts";
import { isOriginRange } from "@postern/shared/domain/origins";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, queryOf, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { originsPage } from "./origins-page.ts";

const readOrigins = createReadAnswer(SignInOrigins);

/** `GET /console/origins`, with `range` and `show`. */
export function getOriginsPage(deps: ConsolePagesDeps) {
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const wanted = queryOf(request, "range") ?? "";
    const range = isOriginRange(wanted) ? wanted : "1h";
    const outcome = queryOf(request, "show") === "ok" ? "ok" : "refused";
    const origins = await readOrigins(deps.ask, operator, { operation: "showOrigins", query: { range } });
    if (origins === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the request of the page was rejected" });
    return sendPage(deps, reply, originsPage({ range, outcome, origins }), operator);
  };
  return forOperator(deps, { route: "consoleOrigins", handle });
}
