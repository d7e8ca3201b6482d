/** Where a backend stores one kind of MFA credential; an empty field means that it stores none. */
export interface LdapCredentialPlace {
  readonly field: string;
  /** Auxiliary object class that allows the attribute, added with the first value; empty adds none. */
  readonly objectClass: string;
}

/** `auth.backends.ldap.search[].mapping`, the part about second factors. */
export interface LdapMfaSettings {
  readonly totp: LdapCredentialPlace;
  readonly recoveryCodes: LdapCredentialPlace;
  readonly webauthn: LdapCredentialPlace;
  readonly appPasswords: LdapCredentialPlace;
  readonly displayNameField: string;
  readonly uniqueUserIdField: string;
}
