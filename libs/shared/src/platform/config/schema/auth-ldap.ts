import { LdapPool } from "./auth-ldap-pool.ts";
import { choice, entries, flag, integer, named, requiredText, requiredTexts, section, text, texts } from "./fields.ts";

const Mapping = section("Names of the LDAP attributes and object classes.", {
  account_field: requiredText("Attribute with the canonical account name. Its first value is used.", {
    example: "mail",
  }),
  totp_secret_field: text("Attribute with the TOTP secret."),
  totp_recovery_field: text("Attribute with the recovery codes."),
  totp_object_class: text("Object class that permits the attribute with the TOTP secret."),
  totp_recovery_object_class: text("Object class that permits the attribute with the recovery codes."),
  display_name_field: text("Attribute with the display name. If empty, account_field is used."),
  webauthn_credential_field: text("Attribute with the WebAuthn credentials."),
  webauthn_object_class: text("Object class that permits the attribute with the WebAuthn credentials."),
  app_password_field: text("Attribute with the app passwords, one JSON object per value."),
  app_password_object_class: text("Object class that permits the attribute with the app passwords."),
  unique_user_id_field: text(
    "Attribute with an identifier that survives renames and is never reassigned. The OIDC subject and persistent SAML name IDs are derived from it.",
  ),
});

const Groups = section("Lookup of group memberships.", {
  strategy: choice(
    ["", "member_of", "search", "hybrid"],
    "Method: `member_of` reads an attribute of the user, `search` searches for groups, `hybrid` does both. If empty, no groups are found.",
  ),
  attribute: text("Attribute of the user with the DNs of its groups.", { default: "memberOf" }),
  base_dn: text("Base DN of searches for groups."),
  scope: choice(["base", "one", "sub"], "Scope of searches for groups.", { default: "sub" }),
  filter: text("Filter that finds the groups of %{user_dn}."),
  name_attribute: text("Attribute of a group with its name.", { default: "cn" }),
  recursive: flag("Whether groups that contain groups are followed."),
  release_as: text("Attribute under which API callers receive the group names. If empty, they are not released."),
  max_depth: integer(8, "Maximum depth of nested groups.", { minimum: 1, maximum: 32 }),
});

/** How users of some protocols are found in a pool. */
export const LdapSearch = section("Search for the users of some protocols.", {
  protocol: requiredTexts("Protocols for which this entry is used.", { example: ["imap", "smtp"], form: "protocol" }),
  cache_name: requiredText("Namespace of the cached results of this entry.", { example: "mail" }),
  pool_name: text("Name of the pool: `default`, or one of `pools`.", { default: "default", minLength: 1 }),
  base_dn: requiredText("Base DN of searches for users.", { example: "ou=people,dc=example,dc=test" }),
  scope: choice(["base", "one", "sub"], "Scope of searches for users.", { default: "sub" }),
  filter: section("Search filters. Values that replace macros are escaped.", {
    user: requiredText("Filter that finds one user.", { example: "(mail=%L{user})" }),
    list_accounts: text(
      "Filter that finds all users, in pages (RFC 2696). The service account needs a size limit above their number, or listing them ends in a temporary failure. If empty, no users are listed.",
    ),
    disabled: text(
      "Filter that matches accounts that are disabled: no password is accepted, and lookups report an unknown user. It costs one more search per lookup and successful login. If empty, only the bind can refuse such accounts.",
    ),
  }),
  mapping: Mapping,
  attribute: texts("Attributes that are released to API callers, in addition to account_field."),
  release_dn: flag("Whether the DN of the entry is released too, as the attribute `dn`."),
  groups: Groups,
});

/** The LDAP backends. */
export const LdapBackend = section("LDAP backends.", {
  default: LdapPool,
  pools: named("Additional pools, by name.", LdapPool),
  search: entries(
    "Searches for users. Among the entries for the request's protocol, the first that finds the user is used.",
    LdapSearch,
  ),
});
