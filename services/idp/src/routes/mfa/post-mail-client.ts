import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import type { ClientKind } from "../../mail-clients/client-kinds.ts";
import { thunderbirdCode } from "../../mail-clients/thunderbird-code.ts";
import { cleanName } from "../../mfa/self-service.ts";
import { notificationOf } from "../../mfa/subject.ts";
import { mailClientReadyPage } from "../../pages/templates/mail-clients.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { lookOf, sendProblem, sendShown } from "../visit.ts";
import { showMailClient } from "./get-mail-client.ts";
import { forMailAccount, kindIn, type MailVisit, serversView } from "./mail-account.ts";
import { here, homePath, whenFresh } from "./member.ts";

interface Created {
  readonly kind: ClientKind;
  readonly label: string;
  readonly password: string;
}

/**
 * Where the device gets its profile: a link that works once. Undefined if Redis cannot keep the profile: the app password exists already, so
 * the user receives it without a profile.
 */
async function profileLink(
  { logger }: LoginDeps,
  { visit, setup, account }: MailVisit,
  password: string,
): Promise<string | undefined> {
  try {
    const token = await setup.offers.offer({ address: account.mail.address, name: account.name, password });
    return new URL(pathTo("mailProfile", { token }), setup.origin).href;
  } catch (err) {
    logger.warn({ session: visit.request.caller?.session, err }, "mail profile not stored: the app password is shown");
    return undefined;
  }
}

async function showCreated(
  deps: LoginDeps,
  mail: MailVisit,
  { kind, label, password }: Created,
): Promise<FastifyReply> {
  const { visit, account } = mail;
  const profile = { address: account.mail.address, name: account.name, password };
  const view = {
    kind,
    label,
    password,
    profile: kind === "apple" ? await profileLink(deps, mail, password) : undefined,
    code: kind === "android" ? thunderbirdCode(account.services, account.mail, profile) : undefined,
    ...serversView(account),
    back: here(visit, pathTo("mailClientsPage")),
    cancel: undefined,
  };
  const { pages } = deps;
  return sendShown(visit.reply, pages.show(mailClientReadyPage, view, lookOf(pages, { ...visit, path: "" })));
}

async function create(deps: LoginDeps, mail: MailVisit, kind: ClientKind): Promise<FastifyReply> {
  const { pages, store, notify } = deps;
  const { visit, member } = mail;
  const { account, context } = member.subject;
  const page = pathTo("mailClientPage", { client: kind });
  const label = cleanName(visit.form.one("label") ?? "", "");
  if (label === "") return sendProblem(pages, visit, "request", { href: page });
  const created = await store.createAppPassword(account, label, context);
  if (created === "full") {
    const problem = lookOf(pages, visit).text("app_passwords.full");
    return showMailClient(deps, mail, { kind, hasAppPasswords: true, problem });
  }
  if (created === undefined) return sendProblem(pages, visit, "failed", { href: page });
  notify(notificationOf(member.subject, "app_password_created"));
  return showCreated(deps, mail, { kind, ...created });
}

/** `POST /mfa/mail-client/{client}`: creates an app password and shows it once, as a profile or QR code where the client reads one. */
export function postMailClient(deps: LoginDeps): VisitHandler {
  return forMailAccount(deps, async (mail) => {
    const { visit, member } = mail;
    const kind = kindIn(visit);
    const state = kind === undefined ? undefined : await deps.self.read(member.subject);
    if (kind === undefined || state === undefined) {
      return sendProblem(deps.pages, visit, "not_found", { href: homePath });
    }
    const page = pathTo("mailClientPage", { client: kind });
    return whenFresh(deps, visit, { member, state, page }, () => create(deps, mail, kind));
  });
}
