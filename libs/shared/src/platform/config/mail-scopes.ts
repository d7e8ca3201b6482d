import type { MailRegistrationConfig } from "./schema/root.ts";

/** A scope of mail clients, and the protocols for which a token with it replaces the password. */
export type MailScope = MailRegistrationConfig["scopes"][number];

/** The scopes of draft-ietf-mailmaint-oauth-public-06, section 3.9. */
const scopesOfProfile: readonly MailScope[] = [
  {
    name: "urn:ietf:params:oauth:scope:mail",
    description: "",
    protocols: ["imap", "pop3", "smtp", "submission", "lmtp", "sieve", "jmap"],
  },
  { name: "urn:ietf:params:oauth:scope:calendars", description: "", protocols: ["caldav", "jmap"] },
  { name: "urn:ietf:params:oauth:scope:contacts", description: "", protocols: ["carddav", "jmap"] },
];

/** The configured scopes of mail clients, or those of the profile. */
export function mailScopes({ scopes }: Pick<MailRegistrationConfig, "scopes">): readonly MailScope[] {
  return scopes.length === 0 ? scopesOfProfile : scopes;
}
