import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken, isBrowserToken, newBrowserToken } from "../../flow/browser-binding.ts";
import { localPath } from "../../flow/flow-paths.ts";
import type { LogoutDecision } from "../../oidc/logout/logout-request.ts";
import { formTargetOf } from "../../pages/policy-sources.ts";
import { logoutPage } from "../../pages/templates/messages.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import { cookieNames } from "../../sessions/cookies.ts";
import { sendShown, setCookie } from "../../visit/visit.ts";
import { fitsAddress } from "./send-again.ts";
import { carried, lookOf, placeAfter, type Seen, signOut } from "./sign-out.ts";

type Decided = Extract<LogoutDecision, { decision: "end" | "ask" }>;

/** The confirmation page; its form is valid only in this browser and for this session. */
function askUser(
  seen: Seen,
  session: BrowserSessionRecord,
  query: URLSearchParams,
  { decided: { clientId }, place }: { readonly decided: Decided; readonly place: string },
): FastifyReply {
  const { visit, pages } = seen;
  const kept = pages.cookies.read(visit.request.headers.cookie, cookieNames.flow);
  const browserToken = isBrowserToken(kept) ? kept : newBrowserToken();
  if (browserToken !== kept) setCookie(visit.reply, pages.cookies.set(cookieNames.flow, browserToken));
  const fields = new Map(carried.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : [])));
  if (clientId !== undefined) fields.set("client_id", clientId);
  const view = {
    action: localPath(visit.path, visit.language?.tag),
    csrfToken: csrfToken(session.uid, browserToken),
    account: session.displayName ?? session.account,
    stay: pathTo("registrationHome"),
    fields: Object.fromEntries(fields),
  };
  const target = formTargetOf(place);
  const formTargets = target === undefined ? [] : [target];
  // A form that does not fit into an address has no links to the page in other languages.
  const path = visit.request.method === "GET" || fitsAddress(query) ? visit.path : "";
  const look = lookOf({ ...seen, visit: { ...visit, path } }, query);
  return sendShown(visit.reply, pages.show(logoutPage, view, look, { formTargets }));
}

/** A valid hint of this browser's session ends it immediately; otherwise the user must confirm (RP-Initiated Logout 1.0 §2). */
export function endOrAsk(
  seen: Seen,
  session: BrowserSessionRecord | undefined,
  query: URLSearchParams,
  decided: Decided,
): Promise<FastifyReply> | FastifyReply {
  const place = placeAfter(decided, seen.visit);
  if (decided.decision === "end" || session === undefined) return signOut(seen, session, place);
  return askUser(seen, session, query, { decided, place });
}
