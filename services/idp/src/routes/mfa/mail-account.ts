import type { MailServer } from "@postern/shared/domain/mail-clients";
import type { FastifyReply } from "fastify";
import { type ClientKind, isClientKind } from "../../mail-clients/client-kinds.ts";
import { userNameAt } from "../../mail-clients/mail-address.ts";
import type { MailAccount, MailSetup } from "../../mail-clients/mail-setup.ts";
import type { ServersView, ShownServer } from "../../pages/templates/credentials.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { sendProblem, type Visit } from "../visit.ts";
import { forMember, homePath, type Member } from "./member.ts";

export interface MailVisit {
  readonly visit: Visit;
  readonly member: Member;
  readonly setup: MailSetup;
  readonly account: MailAccount;
}

/** Admits users for whose mail domain there are settings; 404 for others. */
export function forMailAccount(deps: LoginDeps, handler: (mail: MailVisit) => Promise<FastifyReply>): VisitHandler {
  const { mailSetup: setup, pages } = deps;
  return forMember(deps, async (visit, member) => {
    const account = setup?.accountOf(member.session);
    return setup === undefined || account === undefined
      ? sendProblem(pages, visit, "not_found", { href: homePath })
      : handler({ visit, member, setup, account });
  });
}

/** The kind of client in the path. */
export function kindIn({ param }: Visit): ClientKind | undefined {
  const kind = param("client");
  return isClientKind(kind) ? kind : undefined;
}

const securities = { tls: "SSL/TLS", starttls: "STARTTLS" } as const;

const shown = (protocol: ShownServer["protocol"], server: MailServer | undefined): readonly ShownServer[] =>
  server === undefined
    ? []
    : [{ protocol, host: server.host, port: server.port, security: securities[server.security] }];

export function serversView({ services, mail }: MailAccount): ServersView {
  const { imap, pop3, smtp } = services;
  return {
    userName: userNameAt(services, mail),
    servers: [...shown("IMAP", imap), ...shown("POP3", pop3), ...shown("SMTP", smtp)],
  };
}
