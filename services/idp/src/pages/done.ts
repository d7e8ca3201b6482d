/** Actions that a user has just completed; each has a text `done.<key>`. */
export const doneKeys = [
  "totp_added",
  "totp_removed",
  "passkey_added",
  "passkey_removed",
  "passkeys_removed",
  "passkey_renamed",
  "codes_saved",
  "codes_gone",
  "app_password_deleted",
  "session_ended",
  "sessions_ended",
  "device_forgotten",
  "devices_forgotten",
  "application_removed",
  "sign_in_confirmed",
  "account_secured",
] as const;

export type DoneKey = (typeof doneKeys)[number];

/** The known keys in a cookie's value; anything else is ignored. */
export function readDone(value: string | undefined): readonly DoneKey[] {
  const keys = value?.split(".") ?? [];
  return doneKeys.filter((key) => keys.includes(key));
}
