import type { LiveDomains } from "@postern/shared/assembly";
import { accountOf, isOneName } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import type { AuditEntry } from "@postern/shared/domain/history";
import type { Caller } from "@postern/shared/platform/http";

/** An audit record as a caller may read it; undefined if the caller may not know of it. */
export type LimitEntry = (entry: AuditEntry) => AuditEntry | undefined;

/** What somebody outside did: neither who, for which domains nor where, and none of the words. */
const ofActor: ReadonlySet<string> = new Set(["actor", "actor_domain", "client_ip", "note"]);
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
  const isNameWithin = (text = ""): boolean => isOneName(text) && isWithin(text);
  return (entry) => {
    const subject = accountOf(entry);
    if (subject === undefined || !isWithin(subject)) return undefined;
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
