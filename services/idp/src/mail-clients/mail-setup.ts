import type { MailServer, MailServices } from "@postern/shared/domain/mail-clients";
import type { ServersView, ShownServer } from "../pages/templates/credentials.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { type MailAddress, type MailServicesOf, readMailAddress, userNameAt } from "./mail-address.ts";
import type { ProfileOffers } from "./profile-offers-redis.ts";

/** The mailbox of a user for whose domain there are settings. */
export interface MailAccount {
  readonly mail: MailAddress;
  readonly services: MailServices;
  /** Name in outgoing mail. */
  readonly name: string;
}

const securities = { tls: "SSL/TLS", starttls: "STARTTLS" } as const;

const shownServer = (protocol: ShownServer["protocol"], server: MailServer | undefined): readonly ShownServer[] =>
  server === undefined
    ? []
    : [{ protocol, host: server.host, port: server.port, security: securities[server.security] }];

export function serversView({ services, mail }: MailAccount): ServersView {
  const { imap, pop3, smtp } = services;
  return {
    userName: userNameAt(services, mail),
    servers: [...shownServer("IMAP", imap), ...shownServer("POP3", pop3), ...shownServer("SMTP", smtp)],
  };
}

/**
 * What the pages for mail clients need.
 * @param addressAttribute backend attribute with the mail address.
 */
export function createMailSetup(services: MailServicesOf, offers: ProfileOffers, addressAttribute: string) {
  return {
    offers,
    /** The origin of the links in QR codes. */
    origin: services.publicUrl.origin,
    /** Undefined: no settings are configured for the user's domain. */
    accountOf: async ({ account, attributes, displayName }: BrowserSessionRecord): Promise<MailAccount | undefined> => {
      // The account name first: the mail servers certainly accept it.
      for (const text of [account, ...(attributes?.[addressAttribute] ?? [])]) {
        const mail = readMailAddress(text);
        const found = mail === undefined ? undefined : await services.find(mail.domain);
        if (mail !== undefined && found !== undefined) {
          return { mail, services: found, name: displayName ?? mail.address };
        }
      }
      return undefined;
    },
  };
}

export type MailSetup = ReturnType<typeof createMailSetup>;
