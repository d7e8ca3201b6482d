import { pathTo } from "@postern/shared/contracts";
import type { MailSignIns } from "../../login/connected-applications.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendTo, type Visit } from "../visit.ts";
import { forMember } from "./member.ts";

const page = pathTo("sessionsPage");

interface AccessDeps extends Pick<LoginDeps, "onEnded" | "audit"> {
  readonly sessions: Pick<LoginDeps["sessions"], "listAll" | "end">;
  readonly mailSignIns: Pick<MailSignIns, "end" | "endAll"> | undefined;
}

/** @returns whether a mail client has ended */
async function endMail({ mailSignIns }: AccessDeps, account: string, id: string | undefined): Promise<boolean> {
  if (mailSignIns === undefined) return false;
  return id === undefined ? (await mailSignIns.endAll(account)) > 0 : mailSignIns.end(account, id);
}

/** Ends all sessions and mail clients but this session, or the one with the ID. */
export async function endAccess(
  deps: AccessDeps,
  visit: { readonly request: Pick<Visit["request"], "caller" | "id"> },
  session: Pick<BrowserSessionRecord, "account" | "uid">,
  id?: string,
): Promise<void> {
  const { sessions, onEnded, audit } = deps;
  const { account } = session;
  const others = (await sessions.listAll(account)).filter(({ uid }) => uid !== session.uid);
  for (const other of others.filter(({ uid }) => id === undefined || uid === id)) {
    // The last version, because clients may have been added since it was listed.
    const ended = await sessions.end(other.uid);
    if (ended === undefined) continue;
    const who = { actor: account, target: ended.account };
    auditVisit(audit, visit.request, { event: "session.end", outcome: "ok", ...who, reason: "self_service" });
    await onEnded(ended);
  }
  // After the sessions, which could sign in further mail clients.
  if (await endMail(deps, account, id)) {
    const who = { actor: account, target: account, method: "mail_client" };
    auditVisit(audit, visit.request, { event: "session.end", outcome: "ok", ...who, reason: "self_service" });
  }
}

/** `DELETE /mfa/sessions` ends all but this session, and all mail clients, `DELETE /mfa/session/:id` one; never another account's. */
export function deleteSessions(deps: LoginDeps): VisitHandler {
  return forMember(deps, async (visit, { session }) => {
    const id = visit.param("id");
    await endAccess(deps, visit, session, id);
    noteDone(deps.pages, visit, id === undefined ? "sessions_ended" : "session_ended");
    return sendTo(visit.reply, page);
  });
}
