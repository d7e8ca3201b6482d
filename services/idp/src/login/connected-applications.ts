/** What an application asks of its users' second factors. */
export interface FactorDemands {
  /** Methods that its users must have set up. */
  readonly methods: readonly string[];
  /** 0: none. */
  readonly level: number;
}

export interface ConnectedApplication extends FactorDemands {
  readonly id: string;
  readonly name: string;
}

/** Applications that may use an account. Everything throws AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface ConnectedApplications {
  list(accountId: string): Promise<readonly ConnectedApplication[]>;
  /** Ends its tokens and forgets the user's consent. */
  disconnect(accountId: string, clientId: string): Promise<void>;
}
