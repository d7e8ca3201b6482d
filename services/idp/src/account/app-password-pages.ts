import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { appPasswordsPage, newAppPasswordPage } from "../pages/templates/access.ts";
import { removalPage } from "../pages/templates/removal.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import { noteDone, sendProblem, sendTo, showPage, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { createAppPassword } from "./create-app-password.ts";
import { notificationOf } from "./factor-owner.ts";
import { serversView } from "./mail-client-pages.ts";
import { backTo, forFresh, here, type Member } from "./member.ts";

const path = pathTo("appPasswordsPage");

async function showAppPasswords(
  { pages, store }: AccountContext,
  visit: Visit,
  { owner, csrfToken }: Member,
  problem?: string,
): Promise<FastifyReply> {
  const appPasswords = await store.appPasswords(owner.account, owner.context);
  const view = {
    action: here(visit, path),
    csrfToken,
    appPasswords: appPasswords.map(({ id, label, createdAt, lastUsedAt }) => ({
      label,
      createdMs: createdAt * 1000,
      lastUsedMs: lastUsedAt === undefined ? undefined : lastUsedAt * 1000,
      revoke: pathTo("deleteAppPassword", { id }),
      remove: here(visit, pathTo("appPasswordRemovalPage", { id })),
    })),
    problem,
    ...backTo(visit),
  };
  return showPage(pages, visit, { page: appPasswordsPage, view });
}

/** `GET /mfa/app-passwords` */
export function getAppPasswords(context: AccountContext): VisitHandler {
  return forFresh(context, path, (visit, member) => showAppPasswords(context, visit, member));
}

/** `POST /mfa/app-passwords`: shows the new password once. */
export function postAppPassword(context: AccountContext): VisitHandler {
  const { pages, mailSetup } = context;
  return forFresh(context, path, async (visit, member) =>
    createAppPassword(context, visit, member, {
      page: path,
      showProblem: (problem) => showAppPasswords(context, visit, member, problem),
      showCreated: async (created) => {
        const mail = await mailSetup?.accountOf(member.session);
        const { userName, servers } =
          mail === undefined ? { userName: member.owner.account, servers: [] } : serversView(mail);
        const view = { ...created, account: userName, servers, ...backTo(visit, path) };
        return showPage(pages, { ...visit, path: "" }, { page: newAppPasswordPage, view });
      },
    }),
  );
}

/** `GET /mfa/app-password/{id}/remove`: the password cannot be shown again, so the page wants a confirmation. */
export function getAppPasswordRemoval(context: AccountContext): VisitHandler {
  const { pages, store } = context;
  return forFresh(context, path, async (visit, { owner, csrfToken }) => {
    const appPasswords = await store.appPasswords(owner.account, owner.context);
    const found = appPasswords.find(({ id }) => id === visit.param("id"));
    if (found === undefined) return sendTo(visit.reply, here(visit, path));
    const view = {
      what: "app_password",
      names: [found.label],
      action: pathTo("deleteAppPassword", { id: found.id }),
      csrfToken,
      isLast: false,
      codes: 0,
      needed: undefined,
      back: here(visit, path),
    } as const;
    return showPage(pages, visit, { page: removalPage, view });
  });
}

/** `DELETE /mfa/app-password/{id}` */
export function removeAppPassword(context: AccountContext): VisitHandler {
  const { pages, store, notify } = context;
  return forFresh(context, path, async (visit, { owner }) => {
    const id = visit.param("id") ?? "";
    if (!/^[0-9a-f]{16}$/.test(id)) return sendProblem(pages, visit, "not_found", { href: path });
    if ((await store.revokeAppPassword(owner.account, id, owner.context)) !== "done") {
      return sendProblem(pages, visit, "failed", { href: path });
    }
    notify(notificationOf(owner, "app_password_deleted"));
    noteDone(pages, visit, "app_password_deleted");
    return sendTo(visit.reply, path);
  });
}
