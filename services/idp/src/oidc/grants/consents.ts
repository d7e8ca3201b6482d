/** Remembered consent, so that users need not consent every time. It outlives the session. */
export interface Consents {
  /** Whether the user has agreed to all of these scopes. */
  has(accountId: string, clientId: string, scopes: readonly string[]): Promise<boolean>;
  remember(consent: {
    readonly accountId: string;
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly ttlSeconds: number;
  }): Promise<void>;
  /** Deletes the consent; the user must consent next time. */
  forget(accountId: string, clientId: string): Promise<void>;
}
