/** Where a directory keeps one kind of artefact; an empty field keeps none. */
export interface LdapArtefactPlace {
  readonly field: string;
  /** Auxiliary object class that allows it, added with the first value; empty adds none. */
  readonly objectClass: string;
}

/** `auth.backends.ldap.search[].mapping`, as far as second factors go. */
export interface LdapMfaSettings {
  readonly totp: LdapArtefactPlace;
  readonly recoveryCodes: LdapArtefactPlace;
  readonly webauthn: LdapArtefactPlace;
  readonly appPasswords: LdapArtefactPlace;
  readonly displayNameField: string;
  readonly uniqueUserIdField: string;
}
