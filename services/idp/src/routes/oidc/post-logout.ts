import type { FastifyReply } from "fastify";
import { readCsrfToken } from "../../flow/browser-binding.ts";
import { localPath } from "../../flow/flow-paths.ts";
import { readLogoutRequest } from "../../oidc/logout/logout-request.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import type { VisitHandler } from "../../visit/page-routes.ts";
import { sendTo, sessionOf } from "../../visit/visit.ts";
import { endOrAsk } from "./ask-sign-out.ts";
import { withoutEmpty } from "./form.ts";
import { fitsAddress, sendAgain, sentAgain } from "./send-again.ts";
import { carried, type LogoutDeps, placeAfter, refuse, type Seen, signOut } from "./sign-out.ts";

/** Fields that a client's own form may contain. */
const requestFields = [...carried, "id_token_hint", "ui_locales"] as const;

/** The form of a client, which another site may have sent: then the browser has added no Lax cookies. */
async function start(seen: Seen, query: URLSearchParams): Promise<FastifyReply> {
  const { visit, pages, decide } = seen;
  const request = readLogoutRequest(query);
  if (request === undefined) return refuse(seen, "a parameter is repeated or too long");
  const action = localPath(visit.path, visit.language?.tag);
  if (fitsAddress(query)) return sendTo(visit.reply, `${action}${query.size === 0 ? "" : `?${query.toString()}`}`);
  const session = await sessionOf(seen, seen.visit);
  const decided = await decide(request, session);
  if (decided.decision === "invalid") return refuse(seen, decided.why, request);
  if (session !== undefined) return endOrAsk(seen, session, query, decided);
  const target = placeAfter(decided, visit);
  const look = {
    language: visit.language,
    uiLocales: query.get("ui_locales") ?? undefined,
    headers: visit.request.headers,
  };
  const isAgain = visit.form.all(sentAgain).length > 0;
  const sent = isAgain ? undefined : sendAgain(pages, visit.reply, { action, form: query, target, look });
  // Any site can state that it is our page: the cookies of the browser stay.
  return sent ?? sendTo(visit.reply, target);
}

/** `POST`: the confirmation, or a client's own form, which becomes a GET if its fields may be in an address. */
export function postLogout(deps: LogoutDeps): VisitHandler {
  return async (visit) => {
    const seen: Seen = { ...deps, visit };
    const { form, pages } = { ...visit, ...deps };
    const fields = requestFields.flatMap((name) => form.all(name).map((value): [string, string] => [name, value]));
    const query = withoutEmpty(new URLSearchParams(fields));
    if (form.all("csrf_token").length === 0) return start(seen, query);
    const request = readLogoutRequest(query);
    const session = await sessionOf(seen, seen.visit);
    const browserToken = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
    const subject = readCsrfToken(form.one("csrf_token"), browserToken);
    if (request === undefined || subject === undefined) return refuse(seen, "the form was not issued to this browser");
    // The page asked about another session.
    if (session !== undefined && subject !== session.uid) return refuse(seen, "the form belongs to another session");
    const decided = await deps.decide(request, session);
    if (decided.decision === "invalid") return refuse(seen, decided.why, request);
    return signOut(seen, session, placeAfter(decided, visit));
  };
}
