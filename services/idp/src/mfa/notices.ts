/** Something about an account's factors that its owner and the operators should hear of. */
export interface FactorNotice {
  readonly change: "added" | "removed" | "used";
  readonly factor: "totp" | "webauthn" | "recovery" | "app_password";
  readonly account: string;
  /** The request's GUID. */
  readonly session: string;
}
