import { pathTo } from "@postern/shared/contracts";
import { clientKinds } from "../../mail-clients/client-kinds.ts";
import { mailClientsPage } from "../../pages/templates/mail-clients.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown } from "../visit.ts";
import { forMailAccount } from "./mail-account.ts";
import { here, homePath } from "./member.ts";

/** `GET /mfa/mail-clients` */
export function getMailClients(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return forMailAccount(deps, async ({ visit, account }) => {
    const view = {
      address: account.mail.address,
      clients: clientKinds.map((kind) => ({ kind, href: here(visit, pathTo("mailClientPage", { client: kind })) })),
      back: here(visit, homePath),
      cancel: undefined,
    };
    return sendShown(visit.reply, pages.show(mailClientsPage, view, lookOf(pages, visit)));
  });
}
