import type { LiveDomains } from "@postern/shared/assembly";
import type { AuditEvent } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import type { AuditEntry } from "@postern/shared/domain/history";
import type { Caller } from "@postern/shared/platform/http";

/** An audit record as a caller may read it; undefined if the caller may not know of it. */
export type LimitEntry = (entry: AuditEntry) => AuditEntry | undefined;

type Member = "account" | "actor" | "target";

/** Where records that are about an account name it. The others are about the site. */
const subjects: Readonly<Partial<Record<AuditEvent, Member>>> = {
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

const subjectByEvent: ReadonlyMap<string, Member> = new Map(Object.entries(subjects));

/**
 * Targets are as somebody typed them, and may be anything: only what is one name with a domain says whose it is. `account` is the name that a
 * backend returned.
 */
const oneName = /^[^@\s]+@[^@\s]+$/u;

/** What somebody outside did: neither who, for which domains nor where, and none of the words. */
const ofActor: ReadonlySet<string> = new Set(["actor", "domain", "client_ip", "note"]);
/** Of the site's machines. */
const ofSite: ReadonlySet<string> = new Set(["instance"]);

export function shownEntries(entries: readonly AuditEntry[], limit: LimitEntry): AuditEntry[] {
  return entries.map(limit).filter((entry) => entry !== undefined);
}

/** The records that a caller may read: for one that is limited to domains, those about their accounts, without what is not theirs. */
export async function limitAudit(
  caller: Pick<Caller, "domains"> | null,
  domains: Pick<LiveDomains, "current">,
): Promise<LimitEntry> {
  if (caller?.domains === undefined) return (entry) => entry;
  const isWithin = await accountsFor(caller, domains);
  const isNameWithin = (text = ""): boolean => oneName.test(text) && isWithin(text);
  return (entry) => {
    const member = subjectByEvent.get(entry["event"] ?? "");
    if (member === undefined) return undefined;
    const subject = entry[member];
    const isOfAccount = member === "account" && subject?.includes("@") === false && isWithin(subject);
    if (subject === undefined || !(isOfAccount || isNameWithin(subject))) return undefined;
    const { actor } = entry;
    const isOwn = actor === undefined || actor === subject || isNameWithin(actor);
    // Of a client or an application, which are called as the site likes, a target may have the form of a name.
    const isShown = ([name, value]: readonly [string, string]): boolean =>
      !ofSite.has(name) &&
      (isOwn || !ofActor.has(name)) &&
      (name !== "target" || !value.includes("@") || isNameWithin(value));
    const kept = Object.entries(entry).filter(isShown);
    return { ...Object.fromEntries(kept), instance: "" };
  };
}
