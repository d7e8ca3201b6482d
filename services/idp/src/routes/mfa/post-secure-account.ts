import { pathTo } from "@postern/shared/contracts";
import { notificationOf } from "../../mfa/subject.ts";
import { auditVisit } from "../audit-visit.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone, sendTo, type Visit } from "../visit.ts";
import { endAccess } from "./delete-sessions.ts";
import { forMember, here, type Member } from "./member.ts";

const page = pathTo("suspiciousSignInsPage");

async function revokeAppPasswords({ self, store, notify }: LoginDeps, { subject }: Member): Promise<void> {
  const { account, context } = subject;
  const state = await self.read(subject);
  if (state === undefined || state.appPasswords === 0) return;
  for (const { id } of await store.appPasswords(account, context)) {
    if ((await store.revokeAppPassword(account, id, context)) === "done") {
      notify(notificationOf(subject, "app_password_deleted"));
    }
  }
}

async function disconnectAll({ applications, audit }: LoginDeps, visit: Visit, { session }: Member): Promise<void> {
  const { account } = session;
  for (const id of (await applications?.disconnectAll(account)) ?? []) {
    auditVisit(audit, visit.request, { event: "consent.revoke", outcome: "ok", actor: account, target: id });
  }
}

/** "It wasn't me": ends everything that an attacker obtained with the password. The password itself stays; the page links to the one that changes it. */
export function postSecureAccount(deps: LoginDeps): VisitHandler {
  const { pages, audit, suspiciousSignIns } = deps;
  return forMember(deps, async (visit, member) => {
    const { account } = member.session;
    await endAccess(deps, visit, member.session);
    await disconnectAll(deps, visit, member);
    await revokeAppPasswords(deps, member);
    // Last: after a failure, the user finds the sign-ins here again, and repeats it.
    await suspiciousSignIns.reject(account);
    auditVisit(audit, visit.request, { event: "risk.reject", outcome: "ok", actor: account, target: account });
    noteDone(pages, visit, "account_secured");
    return sendTo(visit.reply, here(visit, page));
  });
}
