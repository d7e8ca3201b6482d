export const mfaOperations = [
  "set_totp",
  "delete_totp",
  "set_recovery_codes",
  "delete_recovery_codes",
  "list_webauthn",
  "save_webauthn",
  "update_webauthn",
  "delete_webauthn",
  "delete_passkey",
  "delete_app_password",
  "unlock",
  "list_factors",
] as const;
export type MfaOperation = (typeof mfaOperations)[number];

/** `refused`: the request was understood, and nothing was changed. */
export const mfaResults = ["ok", "malformed", "refused", "undecided"] as const;
export type MfaResult = (typeof mfaResults)[number];
