import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { appPasswordsPage } from "../../pages/templates/access.ts";
import type { LoginDeps } from "../login/deps.ts";
import { lookOf, sendShown, type Visit } from "../visit.ts";
import { here, homePath, type Member } from "./member.ts";

export const page = pathTo("appPasswordsPage");

export async function show(deps: LoginDeps, visit: Visit, member: Member, problem?: string): Promise<FastifyReply> {
  const { pages, store } = deps;
  const { account, context } = member.subject;
  const appPasswords = (await store.appPasswords(account, context)).map(({ id, label, createdAt, lastUsedAt }) => ({
    label,
    createdMs: createdAt * 1000,
    lastUsedMs: lastUsedAt === undefined ? undefined : lastUsedAt * 1000,
    revoke: pathTo("deleteAppPassword", { id }),
    remove: here(visit, pathTo("appPasswordRemovalPage", { id })),
  }));
  const view = {
    action: here(visit, page),
    csrfToken: member.csrfToken,
    appPasswords,
    problem,
    back: here(visit, homePath),
    cancel: undefined,
  };
  return sendShown(visit.reply, pages.show(appPasswordsPage, view, lookOf(pages, visit)));
}
