import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken } from "../flow/browser-binding.ts";
import { localPath, pageUrlOf } from "../flow/flow-paths.ts";
import { type FlowRecord, otherDomain } from "../flow/flow-record.ts";
import { loginPage } from "../pages/templates/login.ts";
import { cancelIn, formTargets, hrefIn } from "../visit/flow-visit.ts";
import { lookOf, sendOn, sessionOf, showPage, type Visit } from "../visit/visit.ts";
import type { FlowHandler, SignInContext } from "./context.ts";
import { sendCompletion } from "./finish-sign-in.ts";

const longestHint = 255;

/** The user name that the application or an earlier sign-in suggests. */
function suggestedName({ params, accountId }: FlowRecord): string {
  const hint = params?.loginHint ?? accountId ?? "";
  return hint.length <= longestHint ? hint : "";
}

/** Another account must be used. */
const isForOthers = ({ reasons = [] }: FlowRecord): boolean => reasons.includes(otherDomain);

/** Shows the sign-in page, initially and after a failure. */
export function showLogin(
  { pages, rememberMs }: Pick<SignInContext, "pages" | "rememberMs">,
  visit: Visit,
  state: {
    readonly flow: FlowRecord;
    readonly browserToken: string;
    readonly username: string;
    readonly remember: boolean;
    readonly problem?: string | undefined;
    /** Links to the page on which users change their password. */
    readonly offersChange?: boolean | undefined;
    /** Reference of the failed attempt. */
    readonly reference?: string | undefined;
  },
): FastifyReply {
  const { flow, browserToken, username, remember, problem, offersChange = false, reference } = state;
  const view = {
    action: localPath(visit.path, visit.language?.tag),
    csrfToken: csrfToken(flow.id, browserToken),
    client: flow.client === undefined ? undefined : (flow.client.name ?? flow.client.id),
    username,
    fresh: flow.accountId !== undefined && !isForOthers(flow),
    offersRemember: rememberMs > 0,
    remember,
    problem,
    offersChange,
    reference,
    passkey: {
      begin: hrefIn(pathTo("beginWebauthnSignIn"), visit, flow),
      finish: pathTo("finishWebauthnSignIn"),
      csrfToken: csrfToken(flow.id, browserToken),
    },
    cancel: cancelIn(visit, flow, browserToken),
  };
  return showPage(pages, visit, { page: loginPage, view, flow, formTargets: formTargets(flow) });
}

/** `GET /login`: shows the form, or continues a sign-in that is already complete. */
export const getLogin: FlowHandler = async (deps, visit, { flow, browserToken }) => {
  if (flow.state === "login") {
    const { text } = lookOf(deps.pages, visit, flow);
    const refusal = isForOthers(flow) ? text("login.other_domain") : undefined;
    const problem = flow.hasFailed === true ? text("login.failed") : refusal;
    const reference = flow.failedReference;
    const username = refusal === undefined ? suggestedName(flow) : "";
    return showLogin(deps, visit, { flow, browserToken, username, remember: false, problem, reference });
  }
  return sendCompletion(deps, visit, flow, await deps.completeSignIn.resume(flow, await sessionOf(deps, visit)));
};

/**
 * `GET /login/restart`: the user switches accounts and returns to the first page. Repeating it has no further effect.
 */
export const getRestart: FlowHandler = async (deps, visit, { flow }) => {
  const { pages, gate } = deps;
  const back = flow.state === "login" ? flow : await gate.restart(flow);
  return sendOn(pages, visit, back === undefined ? undefined : pageUrlOf(back, visit.language?.tag), flow);
};

/** `POST /login/cancel`: reports to the application that the user cancelled. */
export const postCancel: FlowHandler = async (deps, visit, { flow }) => {
  const { pages, completeSignIn, logger } = deps;
  const ending = await completeSignIn.cancel(flow);
  logger.info({ session: visit.request.caller?.session, client: flow.client?.id }, "sign-in cancelled by the user");
  return sendOn(pages, visit, "expired" in ending ? undefined : ending.redirect, flow);
};
