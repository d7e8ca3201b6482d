import { pathTo } from "@postern/shared/contracts";
import { deviceName } from "@postern/shared/domain/programs";

import { sessionsPage } from "../pages/templates/access.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { auditVisit, noteDone, sendTo, showPage, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { backTo, type MemberHandler } from "./member.ts";

const path = pathTo("sessionsPage");

/** `GET /mfa/sessions` */
export const getSessions: MemberHandler = async (context, visit, { session, csrfToken }) => {
  const { pages, sessions, mailSignIns, deviceMemory } = context;
  const listed = (await sessions.list(session.account)).map(({ uid, origin, loginTs, lastSeenMs }) => ({
    device: deviceName(origin?.userAgent ?? ""),
    clientIp: origin?.clientIp ?? "",
    signedInMs: loginTs * 1000,
    lastSeenMs,
    isThis: uid === session.uid,
    end: pathTo("endSessionOfUser", { id: uid }),
  }));
  const mail = ((await mailSignIns?.list(session.account)) ?? []).map(({ id, ...signIn }) => ({
    ...signIn,
    end: pathTo("endSessionOfUser", { id }),
  }));
  const remembered = (await deviceMemory.list(session.account)).map(
    ({ id, userAgent, clientIp, sinceMs, usedMs, endsMs }) => ({
      device: deviceName(userAgent),
      clientIp,
      sinceMs,
      usedMs,
      endsMs,
      isThis: deviceMemory.isHere(visit, id),
      forget: pathTo("forgetDevice", { id }),
    }),
  );
  const forgetAll = pathTo("forgetDevices");
  return showPage(pages, visit, {
    page: sessionsPage,
    view: { action: path, csrfToken, sessions: listed, mail, remembered, forgetAll, ...backTo(visit) },
  });
};

interface EndAccessDeps extends Pick<AccountContext, "onEnded" | "onAllEnded"> {
  readonly audit: Pick<AccountContext["audit"], "record">;
  readonly sessions: Pick<AccountContext["sessions"], "listAll" | "end">;
  readonly mailSignIns: Pick<NonNullable<AccountContext["mailSignIns"]>, "end" | "endAll"> | undefined;
}

/** @returns whether a mail client has ended */
async function endMail({ mailSignIns }: EndAccessDeps, account: string, id: string | undefined): Promise<boolean> {
  if (mailSignIns === undefined) return false;
  return id === undefined ? (await mailSignIns.endAll(account)) > 0 : mailSignIns.end(account, id);
}

/** Ends all sessions and mail clients but this session, or the one with the ID. */
export async function endAccess(
  deps: EndAccessDeps,
  visit: { readonly request: Pick<Visit["request"], "caller" | "id"> },
  session: Pick<BrowserSessionRecord, "account" | "uid">,
  id?: string,
): Promise<void> {
  const { sessions, onEnded, onAllEnded, audit } = deps;
  const { account } = session;
  const line = { event: "session.end", outcome: "ok", actor: account, reason: "self_service" } as const;
  const others = (await sessions.listAll(account)).filter(({ uid }) => uid !== session.uid);
  for (const other of others.filter(({ uid }) => id === undefined || uid === id)) {
    // The last version, because clients may have been added since it was listed.
    const ended = await sessions.end(other.uid);
    if (ended === undefined) continue;
    auditVisit(audit, visit.request, { ...line, target: ended.account });
    await onEnded(ended);
  }
  if (id === undefined) await onAllEnded(account);
  // The sessions end first, because they could sign in further mail clients.
  if (await endMail(deps, account, id)) {
    auditVisit(audit, visit.request, { ...line, target: account, method: "mail_client" });
  }
}

/** `DELETE /mfa/sessions` ends all but this session, and all mail clients, `DELETE /mfa/session/:id` one; never another account's. */
export const removeSessions: MemberHandler = async (context, visit, { session }) => {
  const id = visit.param("id");
  await endAccess(context, visit, session, id);
  noteDone(context.pages, visit, id === undefined ? "sessions_ended" : "session_ended");
  return sendTo(visit.reply, path);
};

/**
 * `DELETE /mfa/remembered-devices` ends that the user is not asked for the second factor, on all devices; `DELETE /mfa/remembered-device/:id`
 * on one.
 */
export const forgetDevices: MemberHandler = async (context, visit, { session: { account } }) => {
  const { pages, audit, deviceMemory } = context;
  const id = visit.param("id");
  const isAny = id === undefined ? (await deviceMemory.forgetAll(account)) > 0 : await deviceMemory.forget(account, id);
  const line = { event: "remembered_device.end", outcome: "ok", actor: account, target: account } as const;
  if (isAny) auditVisit(audit, visit.request, { ...line, reason: "self_service" });
  noteDone(pages, visit, id === undefined ? "devices_forgotten" : "device_forgotten");
  return sendTo(visit.reply, path);
};
