import { pathTo } from "@postern/shared/contracts";
import { removalPage } from "../../pages/templates/removal.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendShown, sendTo } from "../visit.ts";
import { forFresh, here } from "./member.ts";
import { page } from "./show-app-passwords.ts";

/** `GET /mfa/app-password/{id}/remove`: the password cannot be shown again, so the page wants a confirmation. */
export function getAppPasswordRemoval(deps: LoginDeps): VisitHandler {
  const { pages, store } = deps;
  return forFresh(deps, page, async (visit, { subject, csrfToken }) => {
    const appPasswords = await store.appPasswords(subject.account, subject.context);
    const found = appPasswords.find(({ id }) => id === visit.param("id"));
    if (found === undefined) return sendTo(visit.reply, here(visit, page));
    const view = {
      what: "app_password",
      names: [found.label],
      action: pathTo("deleteAppPassword", { id: found.id }),
      csrfToken,
      isLast: false,
      codes: 0,
      needed: undefined,
      back: here(visit, page),
    } as const;
    return sendShown(visit.reply, pages.show(removalPage, view, lookOf(pages, visit)));
  });
}
