import { pathTo } from "@postern/shared/contracts";
import type { ServiceState } from "../../pages/templates/single-logout.ts";
import type { Participant } from "../state/participants-redis.ts";
import type { Channel } from "./delivery-report.ts";
import type { BrowserBinding } from "./logout-endpoints.ts";

export interface LogoutTransactionService extends Participant {
  readonly channel: Channel;
}

/** Where the browser is redirected when all service providers were notified, or after the timeout. */
export type LogoutTransactionEnd =
  | { readonly to: "place"; readonly place: string }
  /** To the service provider that started the logout, with our response. */
  | {
      readonly to: "provider";
      readonly entityId: string;
      readonly inResponseTo: string;
      readonly relayState?: string;
      readonly binding: BrowserBinding;
    };

/** A logout whose service providers are notified while the browser waits. */
export interface LogoutTransaction {
  /** Deadline in milliseconds since the epoch. */
  readonly deadlineMs: number;
  readonly services: readonly LogoutTransactionService[];
  readonly end: LogoutTransactionEnd;
}

export type ServiceResult = Extract<ServiceState, "done" | "refused">;

/** Path of the page of a logout transaction. */
export function logoutTransactionPath(id: string, more: Readonly<Record<string, string>> = {}): string {
  return `${pathTo("samlLogout")}?${new URLSearchParams({ logout: id, ...more }).toString()}`;
}

export interface LogoutTransactionNow {
  readonly transaction: LogoutTransaction;
  /** The key is the index in the logout transaction. */
  readonly results: ReadonlyMap<number, ServiceResult>;
}

function stateOf(
  { channel }: LogoutTransactionService,
  result: ServiceResult | undefined,
  isLate: boolean,
): ServiceState {
  if (result !== undefined) return result;
  if (channel === "none") return "not_told";
  if (!isLate) return "asking";
  return channel === "soap" ? "later" : "no_answer";
}

export function statesOf({ transaction, results }: LogoutTransactionNow, nowMs: number): readonly ServiceState[] {
  const isLate = nowMs >= transaction.deadlineMs;
  return transaction.services.map((service, index) => stateOf(service, results.get(index), isLate));
}

/** One of our logout requests that was sent through a browser. */
export interface OutgoingRequest {
  readonly journeyId: string;
  /** Index of the service provider in the logout transaction. */
  readonly index: number;
  readonly entityId: string;
  /** Whether it was sent in a frame of the waiting page rather than as a page. */
  readonly isFramed: boolean;
}

/** All logout transactions. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface LogoutTransactions {
  /** @returns its id, a secret that only the browser knows */
  save(transaction: LogoutTransaction): Promise<string>;
  find(id: string): Promise<LogoutTransactionNow | undefined>;
  /** Records the result of a service provider; `done` replaces an earlier result. */
  note(id: string, index: number, result: ServiceResult): Promise<void>;
  /** @returns true for the first caller after the end of the logout transaction */
  isFirstAtEnd(id: string): Promise<boolean>;
  /**
   * Records an outgoing request. @returns false if the service provider was notified too often or the transaction is
   * over
   */
  ask(requestId: string, request: OutgoingRequest): Promise<boolean>;
  /** Takes the request that the sender's response answers; each can be taken once. */
  takeRequest(requestId: string, entityId: string): Promise<OutgoingRequest | undefined>;
}
