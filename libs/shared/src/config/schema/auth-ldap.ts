import { LdapPool } from "./auth-ldap-pool.ts";
import { choice, entries, flag, integer, named, requiredText, requiredTexts, section, text, texts } from "./fields.ts";

const Mapping = section("Which attributes hold what.", {
  account_field: requiredText({ description: "The canonical account name; its first value counts.", example: "mail" }),
  totp_secret_field: text("", { description: "TOTP secret." }),
  totp_recovery_field: text("", { description: "Recovery codes." }),
  totp_object_class: text("", { description: "Object class that allows the TOTP secret." }),
  totp_recovery_object_class: text("", { description: "Object class that allows recovery codes." }),
  display_name_field: text("", { description: "Name for people; empty takes account_field." }),
  webauthn_credential_field: text("", { description: "WebAuthn credentials." }),
  webauthn_object_class: text("", { description: "Object class that allows WebAuthn credentials." }),
  app_password_field: text("", { description: "App passwords, one JSON object a value." }),
  app_password_object_class: text("", { description: "Object class that allows app passwords." }),
  unique_user_id_field: text("", { description: "Identifier that never changes, for OIDC and WebAuthn." }),
});

const Groups = section("How group memberships are found.", {
  strategy: choice(["", "member_of", "search", "hybrid"], "", {
    description: "How: member_of reads an attribute, search looks for groups, hybrid does both; empty finds none.",
  }),
  attribute: text("memberOf", { description: "Attribute with the DNs of groups." }),
  base_dn: text("", { description: "Where groups are searched." }),
  scope: choice(["base", "one", "sub"], "sub", { description: "How deep groups are searched." }),
  filter: text("", { description: "Filter that finds the groups of %{user_dn}." }),
  name_attribute: text("cn", { description: "Attribute with a group's name." }),
  recursive: flag(false, { description: "Follow groups in groups." }),
  release_as: text("", {
    description: "Attribute under which callers get the groups' names; empty keeps them inside.",
  }),
  max_depth: integer(8, { description: "How far to follow them.", minimum: 1, maximum: 32 }),
});

/** How users of some protocols are found in a pool (behaviour reference §4.3). */
export const LdapSearch = section("How users of some protocols are found.", {
  protocol: requiredTexts({ description: "Protocols that this entry serves.", example: ["imap", "smtp"] }),
  cache_name: requiredText({ description: "Name space of this entry's cached results.", example: "mail" }),
  pool_name: text("default", { description: "Pool to ask.", minLength: 1 }),
  base_dn: requiredText({ description: "Where to search.", example: "ou=people,dc=example,dc=test" }),
  scope: choice(["base", "one", "sub"], "sub", { description: "How deep to search." }),
  filter: section("Filters; macros are replaced by escaped values.", {
    user: requiredText({ description: "Finds one user.", example: "(mail=%L{user})" }),
    list_accounts: text("", {
      description:
        "Finds all users, in pages (RFC 2696). The service account needs a size limit above their number: a list that a limit ends is a temporary failure. Empty lists none.",
    }),
    disabled: text("", {
      description:
        "Fits the entry of an account that is switched off: no password is right and look-ups know nobody. Empty leaves it to the bind. One more search in each look-up and success.",
    }),
  }),
  mapping: Mapping,
  attribute: texts([], { description: "Attributes that are released to callers." }),
  groups: Groups,
});

/** The LDAP directories. */
export const LdapBackend = section("LDAP directories.", {
  default: LdapPool,
  pools: named("Further pools, by name.", LdapPool),
  search: entries(
    "How users are found; of the entries with the request's protocol, the first that finds the user decides.",
    LdapSearch,
  ),
});
