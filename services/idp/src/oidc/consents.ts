/** What users have agreed to, so that they are not asked each time. It outlives the session. */
export interface Consents {
  /** Whether all of these scopes were agreed to. */
  has(accountId: string, clientId: string, scopes: readonly string[]): Promise<boolean>;
  remember(consent: {
    readonly accountId: string;
    readonly clientId: string;
    readonly scopes: readonly string[];
    readonly ttlSeconds: number;
  }): Promise<void>;
  /** The user is asked again. */
  forget(accountId: string, clientId: string): Promise<void>;
}
