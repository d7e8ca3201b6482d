/** Which of an account's names is the subject that applications receive (`identity.subject`). */
export type SubjectRule = "unique_id" | "account";

interface NamedAccount {
  readonly account: string;
  /** The mapped identifier; empty if the account has none, undefined if no identifier is mapped. */
  readonly uniqueUserId?: string | undefined;
}

/**
 * The subject of an account. It is chosen once, at sign-in, and does not change during the session. `lacksSubject`: an
 * identifier is mapped and this account has none. Its name is not used as the subject, because it may be reassigned
 * to another user. Never absent, because it replaces the value of a renewed session.
 */
export function subjectOf({ account, uniqueUserId }: NamedAccount, rule: SubjectRule) {
  if (rule === "account" || uniqueUserId === undefined) return { accountId: account, lacksSubject: false };
  const lacksSubject = uniqueUserId === "";
  return { accountId: lacksSubject ? account : uniqueUserId, lacksSubject };
}
