import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { FlowRecord } from "../../flow/flow-record.ts";
import { loginPage } from "../../pages/templates/login.ts";
import { formTargets, hrefIn, lookOf, sendShown, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";

export interface LoginState {
  readonly flow: FlowRecord;
  readonly browserToken: string;
  readonly username: string;
  readonly remember: boolean;
  readonly problem?: string | undefined;
}

const longestHint = 255;

/** The name that the application or an earlier sign-in suggests. */
export function suggestedName({ params, accountId }: FlowRecord): string {
  const hint = params?.loginHint ?? accountId ?? "";
  return hint.length <= longestHint ? hint : "";
}

/** The sign-in page, at first and after a failure. */
export function showLogin(
  { pages, rememberMs }: Pick<LoginDeps, "pages" | "rememberMs">,
  visit: Visit,
  state: LoginState,
): FastifyReply {
  const { flow, browserToken, username, remember, problem } = state;
  const view = {
    action: visit.language === undefined ? visit.path : `${visit.path}/${visit.language.tag}`,
    csrfToken: csrfToken(flow.id, browserToken),
    client: flow.client === undefined ? undefined : (flow.client.name ?? flow.client.id),
    username,
    fresh: flow.accountId !== undefined,
    offersRemember: rememberMs > 0,
    remember,
    problem,
    passkey: {
      begin: hrefIn("/login/webauthn/begin", visit, flow),
      finish: "/login/webauthn/finish",
      csrfToken: csrfToken(flow.id, browserToken),
    },
  };
  const shown = pages.show(loginPage, view, lookOf(pages, visit, flow), { formTargets: formTargets(flow) });
  return sendShown(visit.reply, shown);
}
