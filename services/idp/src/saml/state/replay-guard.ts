/** Remembers the messages that were accepted, so that none is accepted twice. */
export interface ReplayGuard {
  /** Remembers the message. @returns false when it was known already. @throws AppError when that cannot be determined */
  isFirst(entityId: string, messageId: string): Promise<boolean>;
}
