import { choice, entries, flag, integer, requiredTexts, secret, section, text, texts } from "./fields.ts";

const mailServer = (protocol: string, tls: number, starttls: number) =>
  section(`${protocol} server.`, {
    host: text(`Host name of the ${protocol} server. If empty, ${protocol} is not offered.`, { form: "domain-name" }),
    port: integer(0, `Port. 0: ${tls} with \`tls\`, ${starttls} with \`starttls\`.`, { maximum: 65_535 }),
    security: choice(
      ["tls", "starttls"],
      "Encryption of the connection. `tls`: TLS from its start. `starttls`: TLS after STARTTLS, which clients then require.",
    ),
  });

const MailDomain = section("Mail domains with the same servers.", {
  names: requiredTexts("Domains of the mail addresses: the part after the @.", { example: ["example.test"] }),
  display_name: text("Name of the mail service in clients. If empty, identity.frontend.branding.name is used.", {
    maxLength: 60,
  }),
  short_name: text("Short name of the mail service in clients. If empty, the beginning of display_name is used.", {
    maxLength: 20,
  }),
  user_name: choice(
    ["address", "local_part"],
    "User name at the mail servers: the mail address, or its part before the @.",
  ),
  imap: mailServer("IMAP", 993, 143),
  pop3: mailServer("POP3", 995, 110),
  smtp: mailServer("SMTP", 465, 587),
});

/** `identity.mail_clients`. */
export const IdentityMailClients = section(
  "Settings that mail clients find by themselves: autoconfig, Autodiscover, Apple profiles, DNS records.",
  {
    enabled: flag(
      "Whether the settings are served, and with identity.frontend the page on which users set up a mail client.",
    ),
    oauth2: section("Sign-in of mail clients with OAuth 2.0.", {
      enabled: flag(
        "Whether the settings name OAuth 2.0 first and passwords second. Requires identity.oidc, and mail servers that accept its access tokens.",
      ),
      scopes: texts("Scopes that clients request.", {
        default: ["urn:ietf:params:oauth:scope:mail", "offline_access"],
      }),
      client_id: text(
        "Client ID that clients may use. If empty, clients register themselves, or use one that they know.",
        { maxLength: 255 },
      ),
    }),
    profile: section("Apple configuration profiles.", {
      cert: text(
        "Certificate that signs profiles, followed by its chain, in PEM format. If `cert` and `cert_file` are empty, profiles are not signed.",
      ),
      cert_file: text("Path of the PEM file with that certificate and its chain."),
      key: secret("Private key of the certificate, RSA or EC with P-256, in PEM format (PKCS #8)."),
    }),
    domains: entries("Mail domains and their servers. Requests for other domains are answered with 404.", MailDomain),
  },
  { reload: "restart" },
);
