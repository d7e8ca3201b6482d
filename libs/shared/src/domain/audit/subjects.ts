import type { AuditEvent } from "./events.ts";

type Member = "account" | "actor" | "target";

/** Where records that are about an account name it. The others are about the site. */
const members: Readonly<Partial<Record<AuditEvent, Member>>> = {
  "account.read": "target",
  "account.resume": "target",
  "account.suspend": "target",
  "app_password.create": "target",
  "app_password.delete": "target",
  "cache.flush": "target",
  "console.action": "target",
  "console.invite": "target",
  "console.sign_in": "actor",
  "console.sign_out": "actor",
  "consent.give": "actor",
  "consent.revoke": "actor",
  "lost_phone.create": "target",
  "lost_phone.use": "target",
  "master_user.login": "target",
  "recovery_code.use": "target",
  "recovery_codes.create": "target",
  "remembered_device.add": "target",
  "remembered_device.end": "target",
  "risk.confirm": "target",
  "risk.reject": "target",
  "risk.sign_in": "target",
  "second_factor.add": "target",
  "second_factor.lock": "target",
  "second_factor.remove": "target",
  "second_factor.unlock": "target",
  "session.end": "target",
  "user.login": "account",
};

const memberByEvent: ReadonlyMap<string, Member> = new Map(Object.entries(members));

/**
 * Targets are as somebody typed them, and may be anything: only what is one name with a domain says whose it is. `account` is the name that a
 * backend returned.
 */
const oneName = /^[^@\s]+@[^@\s]+$/u;

/** Whether a text of a record is one name with a domain. */
export function isOneName(text = ""): boolean {
  return oneName.test(text);
}

/** The account that a record is about, if it has a name whose domain can be told. */
export function accountOf(record: Readonly<Partial<Record<Member | "event", string | undefined>>>): string | undefined {
  const member = memberByEvent.get(record.event ?? "");
  const subject = member && record[member];
  const isOfAccount = member === "account" && subject?.includes("@") === false;
  return isOfAccount || isOneName(subject) ? subject : undefined;
}
