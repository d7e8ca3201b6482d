import type { SignInDemands } from "./sign-in-demands.ts";

export interface ConnectedApplication {
  readonly id: string;
  readonly name: string;
  readonly demands: SignInDemands;
}

/** What the applications of one protocol demand of an account that uses them. @throws AppError when nobody could decide */
export type ListDemands = (accountId: string) => Promise<readonly SignInDemands[]>;

/** Applications that may use an account. Everything throws AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface ConnectedApplications {
  list(accountId: string): Promise<readonly ConnectedApplication[]>;
  /** Ends its tokens and forgets the user's consent. */
  disconnect(accountId: string, clientId: string): Promise<void>;
}
