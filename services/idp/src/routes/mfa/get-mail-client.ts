import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import type { ClientKind } from "../../mail-clients/client-kinds.ts";
import { mailClientPage } from "../../pages/templates/mail-clients.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendProblem, sendShown } from "../visit.ts";
import { forMailAccount, kindIn, type MailVisit, serversView } from "./mail-account.ts";
import { here, homePath, whenFresh } from "./member.ts";

export interface ShownClient {
  readonly kind: ClientKind;
  readonly hasAppPasswords: boolean;
  readonly problem?: string;
}

export function showMailClient(
  { pages }: LoginDeps,
  { visit, member, account }: MailVisit,
  { kind, hasAppPasswords, problem }: ShownClient,
): FastifyReply {
  const path = pathTo("mailClientPage", { client: kind });
  const view = {
    kind,
    // A path with a parameter takes no language in posts.
    action: path,
    csrfToken: member.csrfToken,
    address: account.mail.address,
    hasOauth: account.services.oauth !== undefined,
    hasAppPasswords,
    problem,
    ...serversView(account),
    back: here(visit, pathTo("mailClientsPage")),
    cancel: undefined,
  };
  return sendShown(visit.reply, pages.show(mailClientPage, view, lookOf(pages, visit)));
}

/** `GET /mfa/mail-client/{client}`: like the list of app passwords it needs a recent sign-in, unless the account cannot have any. */
export function getMailClient(deps: LoginDeps): VisitHandler {
  return forMailAccount(deps, async (mail) => {
    const { visit, member } = mail;
    const kind = kindIn(visit);
    if (kind === undefined) return sendProblem(deps.pages, visit, "not_found", { href: homePath });
    const state = await deps.self.read(member.subject);
    if (state === undefined) return showMailClient(deps, mail, { kind, hasAppPasswords: false });
    const page = pathTo("mailClientPage", { client: kind });
    return whenFresh(deps, visit, { member, state, page }, async () =>
      showMailClient(deps, mail, { kind, hasAppPasswords: true }),
    );
  });
}
