import type { SignInDemands } from "./sign-in-demands.ts";

export interface ConnectedApplication {
  readonly id: string;
  readonly name: string;
  readonly demands: SignInDemands;
}

/** What the applications of one protocol demand of an account. @throws AppError if that cannot be determined */
export type ListDemands = (account: string) => Promise<readonly SignInDemands[]>;

/** Applications that may use an account. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface ConnectedApplications {
  list(account: string): Promise<readonly ConnectedApplication[]>;
  /** Revokes the application's tokens and the user's consent. */
  disconnect(account: string, clientId: string): Promise<void>;
}
