import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { serversView } from "../mail-clients/mail-setup.ts";
import { appPasswordsPage, newAppPasswordPage } from "../pages/templates/access.ts";
import { removalPage } from "../pages/templates/removal.ts";
import { lookOf, noteDone, sendProblem, sendTo, showPage, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { notificationOf } from "./factor-owner.ts";
import { backTo, type FreshHandler, here, type Member } from "./member.ts";
import { cleanName } from "./self-service.ts";

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
export const getAppPasswords: FreshHandler = (context, visit, member) => showAppPasswords(context, visit, member);

interface AppPasswordPages {
  /** The page of the form. */
  readonly page: string;
  readonly showProblem: (problem: string) => FastifyReply | Promise<FastifyReply>;
  readonly showCreated: (created: { readonly password: string; readonly label: string }) => Promise<FastifyReply>;
}

/** Creates the app password whose label a form names. */
export async function createAppPassword(
  { pages, store, notify }: AccountContext,
  visit: Visit,
  { owner }: Member,
  { page, showProblem, showCreated }: AppPasswordPages,
): Promise<FastifyReply> {
  const label = cleanName(visit.form.one("label") ?? "", "");
  if (label === "") return sendProblem(pages, visit, "request", { href: page });
  const created = await store.createAppPassword(owner.account, label, owner.context);
  if (created === "full") return showProblem(lookOf(pages, visit).text("app_passwords.full"));
  if (created === undefined) return sendProblem(pages, visit, "failed", { href: page });
  notify(notificationOf(owner, "app_password_created"));
  return showCreated(created);
}

/** `POST /mfa/app-passwords`: shows the new password once. */
export const postAppPassword: FreshHandler = (context, visit, member) =>
  createAppPassword(context, visit, member, {
    page: path,
    showProblem: (problem) => showAppPasswords(context, visit, member, problem),
    showCreated: async (created) => {
      const mail = await context.mailSetup?.accountOf(member.session);
      const { userName, servers } =
        mail === undefined ? { userName: member.owner.account, servers: [] } : serversView(mail);
      const view = { ...created, account: userName, servers, ...backTo(visit, path) };
      return showPage(context.pages, { ...visit, path: "" }, { page: newAppPasswordPage, view });
    },
  });

/** `GET /mfa/app-password/{id}/remove`: the password cannot be shown again, so the page wants a confirmation. */
export const getAppPasswordRemoval: FreshHandler = async (context, visit, { owner, csrfToken }) => {
  const { pages, store } = context;
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
};

/** `DELETE /mfa/app-password/{id}` */
export const removeAppPassword: FreshHandler = async (context, visit, { owner }) => {
  const { pages, store, notify } = context;
  const id = visit.param("id") ?? "";
  if (!/^[0-9a-f]{16}$/.test(id)) return sendProblem(pages, visit, "not_found", { href: path });
  if ((await store.revokeAppPassword(owner.account, id, owner.context)) !== "done") {
    return sendProblem(pages, visit, "failed", { href: path });
  }
  notify(notificationOf(owner, "app_password_deleted"));
  noteDone(pages, visit, "app_password_deleted");
  return sendTo(visit.reply, path);
};
