import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { loginPage } from "../../pages/templates/login.ts";
import { cancelIn, formTargets, hrefIn, lookOf, sendShown, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

export interface LoginState {
  readonly flow: FlowRecord;
  readonly browserToken: string;
  readonly username: string;
  readonly remember: boolean;
  readonly problem?: string | undefined;
  /** Links to the page on which users change their password. */
  readonly offersChange?: boolean | undefined;
  /** Reference of the failed attempt. */
  readonly reference?: string | undefined;
}

const longestHint = 255;

/** The user name that the application or an earlier sign-in suggests. */
export function suggestedName({ params, accountId }: FlowRecord): string {
  const hint = params?.loginHint ?? accountId ?? "";
  return hint.length <= longestHint ? hint : "";
}

/** Shows the sign-in page, initially and after a failure. */
export function showLogin(
  { pages, rememberMs }: Pick<LoginDeps, "pages" | "rememberMs">,
  visit: Visit,
  state: LoginState,
): FastifyReply {
  const { flow, browserToken, username, remember, problem, offersChange = false, reference } = state;
  const view = {
    action: visit.language === undefined ? visit.path : `${visit.path}/${visit.language.tag}`,
    csrfToken: csrfToken(flow.id, browserToken),
    client: flow.client === undefined ? undefined : (flow.client.name ?? flow.client.id),
    username,
    fresh: flow.accountId !== undefined,
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
  const shown = pages.show(loginPage, view, lookOf(pages, visit, flow), { formTargets: formTargets(flow) });
  return sendShown(visit.reply, shown);
}
