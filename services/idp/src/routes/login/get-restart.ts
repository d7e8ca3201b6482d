import { pageUrlOf } from "../../flow/flow-paths.ts";
import { factorStates } from "../../flow/flow-table.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, sendOn } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/**
 * `GET /login/restart`: the user switches accounts and returns to the first page. Repeating it has no further effect.
 */
export function getRestart({ pages, gate }: LoginDeps): VisitHandler {
  return async (visit) => {
    const passage = await admit({ pages, gate }, visit, [...factorStates, "enrolment", "consent", "login"]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const back = flow.state === "login" ? flow : await gate.restart(flow);
    return sendOn(pages, visit, back === undefined ? undefined : pageUrlOf(back, visit.language?.tag), flow);
  };
}
