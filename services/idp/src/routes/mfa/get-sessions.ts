import { pathTo } from "@postern/shared/contracts";
import { deviceName } from "../../pages/device-name.ts";
import { sessionsPage } from "../../pages/templates/access.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import { forMember, here, homePath } from "./member.ts";

const page = pathTo("sessionsPage");

/** The user's sessions. */
export function getSessions(deps: LoginDeps): VisitHandler {
  const { pages, sessions } = deps;
  return forMember(deps, async (visit, { session, csrfToken }) => {
    const listed = (await sessions.list(session.account)).map(({ uid, origin, loginTs, lastSeenMs }) => ({
      device: deviceName(origin?.userAgent ?? ""),
      clientIp: origin?.clientIp ?? "",
      signedInMs: loginTs * 1000,
      lastSeenMs,
      isThis: uid === session.uid,
      end: pathTo("endSessionOfUser", { id: uid }),
    }));
    const mail = ((await deps.mailSignIns?.list(session.account)) ?? []).map(({ id, ...signIn }) => ({
      ...signIn,
      end: pathTo("endSessionOfUser", { id }),
    }));
    const view = { action: page, csrfToken, sessions: listed, mail, back: here(visit, homePath), cancel: undefined };
    return sendShown(visit.reply, pages.show(sessionsPage, view, lookOf(pages, visit)));
  });
}
