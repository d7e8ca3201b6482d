import { placeOf } from "../../flow/flow-paths.ts";
import { factorStates } from "../../flow/flow-table.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, sendProblem, sendTo } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** `GET /login/restart`: the password was another user's, back to the first page. It can be followed twice. */
export function getRestart({ pages, gate }: LoginDeps): VisitHandler {
  return async (visit) => {
    const passage = await admit({ pages, gate }, visit, [...factorStates, "enrolment", "login"]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const back = flow.state === "login" ? flow : await gate.restart(flow);
    const place = back === undefined ? undefined : placeOf(back, visit.language?.tag);
    return place === undefined ? sendProblem(pages, visit, "expired") : sendTo(visit.reply, place);
  };
}
