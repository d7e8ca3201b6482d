import type { MailServer, MailServices } from "@postern/shared/domain/mail-clients";
import { type MailAddress, userNameAt } from "./mail-address.ts";
import type { OfferedProfile } from "./profile-offers-redis.ts";

const protocols = { imap: 0, pop3: 1, smtp: 0 } as const;
const securities = { starttls: 2, tls: 3 } as const;
const passwordCleartext = 1;

/**
 * The text of a QR code with which Thunderbird for Android imports an account: version 1 of the format in which Thunderbird
 * for desktops exports accounts to phones (thunderbird-android, "Export for Mobile QR code format").
 */
export function thunderbirdCode(services: MailServices, mail: MailAddress, profile: OfferedProfile): string {
  const { imap, pop3, smtp } = services;
  const userName = userNameAt(services, mail);
  const { name, password } = profile;
  const server = (protocol: keyof typeof protocols, { host, port, security }: MailServer) => [
    protocols[protocol],
    host,
    port,
    securities[security],
    passwordCleartext,
    userName,
  ];
  const incoming = imap === undefined ? pop3 && server("pop3", pop3) : server("imap", imap);
  if (incoming === undefined) throw new TypeError(`${services.domain} has no incoming server`);
  // The account's name is left empty: Thunderbird then shows the address.
  const identity = [mail.address, name];
  return JSON.stringify([1, [1, 1], [...incoming, "", password], [[[...server("smtp", smtp), password], identity]]]);
}
