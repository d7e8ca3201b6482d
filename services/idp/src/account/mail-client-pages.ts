import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { type MailAccount, type MailSetup, serversView } from "../mail-clients/mail-setup.ts";
import { thunderbirdCode } from "../mail-clients/thunderbird-code.ts";
import {
  type ClientKind,
  clientKinds,
  isClientKind,
  mailClientPage,
  mailClientReadyPage,
  mailClientsPage,
} from "../pages/templates/mail-clients.ts";
import { sendProblem, showPage, type Visit } from "../visit/visit.ts";
import { createAppPassword } from "./app-password-pages.ts";
import type { AccountContext } from "./context.ts";
import { backTo, here, homePath, type Member, type MemberHandler, whenFresh } from "./member.ts";

interface MailVisit {
  readonly visit: Visit;
  readonly member: Member;
  readonly setup: MailSetup;
  readonly account: MailAccount;
}

/** Admits users for whose mail domain there are settings; 404 for others. */
function forMailAccount(
  handler: (context: AccountContext, mail: MailVisit) => FastifyReply | Promise<FastifyReply>,
): MemberHandler {
  return async (context, visit, member) => {
    const { mailSetup: setup, pages } = context;
    const account = await setup?.accountOf(member.session);
    return setup === undefined || account === undefined
      ? sendProblem(pages, visit, "not_found", { href: homePath })
      : handler(context, { visit, member, setup, account });
  };
}

/** The kind of client in the path. */
function kindIn({ param }: Visit): ClientKind | undefined {
  const kind = param("client");
  return isClientKind(kind) ? kind : undefined;
}

/** `GET /mfa/mail-clients` */
export const getMailClients = forMailAccount(({ pages }, { visit, account }) => {
  const view = {
    address: account.mail.address,
    clients: clientKinds.map((kind) => ({ kind, href: here(visit, pathTo("mailClientPage", { client: kind })) })),
    ...backTo(visit),
  };
  return showPage(pages, visit, { page: mailClientsPage, view });
});

function showMailClient(
  { pages }: AccountContext,
  { visit, member, account }: MailVisit,
  {
    kind,
    hasAppPasswords,
    problem,
  }: { readonly kind: ClientKind; readonly hasAppPasswords: boolean; readonly problem?: string },
): FastifyReply {
  const view = {
    kind,
    // A path with a parameter takes no language in posts.
    action: pathTo("mailClientPage", { client: kind }),
    csrfToken: member.csrfToken,
    address: account.mail.address,
    hasOauth: account.services.oauth !== undefined,
    hasAppPasswords,
    problem,
    ...serversView(account),
    ...backTo(visit, pathTo("mailClientsPage")),
  };
  return showPage(pages, visit, { page: mailClientPage, view });
}

/** `GET /mfa/mail-client/{client}`: like the list of app passwords it needs a recent sign-in, unless the account cannot have any. */
export const getMailClient = forMailAccount(async (context, mail) => {
  const { visit, member } = mail;
  const kind = kindIn(visit);
  if (kind === undefined) return sendProblem(context.pages, visit, "not_found", { href: homePath });
  const state = await context.self.read(member.owner);
  if (state === undefined) return showMailClient(context, mail, { kind, hasAppPasswords: false });
  const page = pathTo("mailClientPage", { client: kind });
  return whenFresh(context, visit, { member, state, page }, async () =>
    showMailClient(context, mail, { kind, hasAppPasswords: true }),
  );
});

/**
 * Where the device gets its profile: a link that works once. Undefined if Redis cannot keep the profile: the app password exists already, so
 * the user receives it without a profile.
 */
async function profileLink(
  { logger }: AccountContext,
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
  context: AccountContext,
  mail: MailVisit,
  { kind, label, password }: { readonly kind: ClientKind; readonly label: string; readonly password: string },
): Promise<FastifyReply> {
  const { visit, account } = mail;
  const profile = { address: account.mail.address, name: account.name, password };
  const view = {
    kind,
    label,
    password,
    profile: kind === "apple" ? await profileLink(context, mail, password) : undefined,
    code: kind === "android" ? thunderbirdCode(account.services, account.mail, profile) : undefined,
    ...serversView(account),
    ...backTo(visit, pathTo("mailClientsPage")),
  };
  return showPage(context.pages, { ...visit, path: "" }, { page: mailClientReadyPage, view });
}

/** `POST /mfa/mail-client/{client}`: creates an app password and shows it once, as a profile or QR code where the client reads one. */
export const postMailClient = forMailAccount(async (context, mail) => {
  const { visit, member } = mail;
  const kind = kindIn(visit);
  const state = kind === undefined ? undefined : await context.self.read(member.owner);
  if (kind === undefined || state === undefined) {
    return sendProblem(context.pages, visit, "not_found", { href: homePath });
  }
  const page = pathTo("mailClientPage", { client: kind });
  return whenFresh(context, visit, { member, state, page }, () =>
    createAppPassword(context, visit, member, {
      page,
      showProblem: (problem) => showMailClient(context, mail, { kind, hasAppPasswords: true, problem }),
      showCreated: (created) => showCreated(context, mail, { kind, ...created }),
    }),
  );
});
