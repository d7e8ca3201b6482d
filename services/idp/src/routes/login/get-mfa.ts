import { pathTo } from "@postern/shared/contracts";
import { factorPaths, pageUrlOf } from "../../flow/flow-paths.ts";
import type { FactorMethod } from "../../flow/flow-record.ts";
import { factorStates } from "../../flow/flow-table.ts";
import { mfaPage } from "../../pages/templates/factors.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, cancelIn, formTargets, hrefIn, lookOf, sendShown, sendTo } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

/** `GET /login/mfa`: lists the available factors; redirects if there is only one. */
export function getMfa(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, factorStates);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const methods: readonly FactorMethod[] = flow.pending?.methods ?? [];
    const place = pageUrlOf(flow, visit.language?.tag);
    if (methods.length === 1 && place !== undefined) return sendTo(visit.reply, place);
    const last = pages.cookies.read(visit.request.headers.cookie, cookieNames.method);
    const view = {
      choices: methods.map((method) => ({ method, href: hrefIn(factorPaths[method], visit, flow) })),
      lastUsed: methods.find((method) => method === last),
      restart: hrefIn(pathTo("restartLogin"), visit, flow),
      cancel: cancelIn(visit, flow, passage.browserToken),
    };
    const options = { formTargets: formTargets(flow) };
    return sendShown(visit.reply, pages.show(mfaPage, view, lookOf(pages, visit, flow), options));
  };
}
