import type { NotificationJob } from "@postern/shared/domain/jobs";

export interface NotificationQueue {
  /**
   * Resolves once Redis has stored them; each is then retried until it is accepted, for more than two hours.
   *
   * @throws AppError REDIS_UNAVAILABLE within `timeoutMs`. OVERLOADED: too many are queued.
   */
  add(notifications: readonly NotificationJob[]): Promise<void>;
}
