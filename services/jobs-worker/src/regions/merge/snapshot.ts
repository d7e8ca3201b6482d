import { createBanIds, createBansByEnd } from "@postern/shared/domain/brute-force";
import type { RegionEvent, SnapshotPage } from "@postern/shared/domain/regions";
import { findScope } from "./bans.ts";
import type { MergeParts } from "./parts.ts";

/** Several regions may have banned one network. */
const bansAtOnce = 100;
const suspensionsAtOnce = 200;
const ofBans = "b:";
const ofSuspensions = "s:";

/**
 * Bans and suspensions that are in force. Flushes and revocations that a region missed while it was away are not among them: the log keeps
 * them for as long as it can.
 */
export function createSnapshot(parts: MergeParts, suspensions: () => Promise<readonly RegionEvent[]>) {
  const { state, keyPrefix, clock, region } = parts;
  const listBans = createBansByEnd(state, keyPrefix, clock);
  const banIds = createBanIds(state, keyPrefix, region.name);
  const readBans = async (cursor: string | undefined): Promise<SnapshotPage> => {
    const { bans, next } = await listBans({ order: "asc", rule: undefined, size: bansAtOnce, cursor });
    const events = await Promise.all(
      bans.map(async (ban) => {
        const { network, rule } = ban;
        const scope = findScope(parts, ban);
        const ids = scope === undefined ? [] : await banIds(scope, ban, clock.now());
        return ids.map(({ id, remainingMs }) => ({ kind: "ban", id, network, rule, remainingMs }) as const);
      }),
    );
    return { events: events.flat(), next: next === undefined ? `${ofSuspensions}0` : ofBans + next };
  };
  const readSuspensions = async (first: number): Promise<SnapshotPage> => {
    const all = await suspensions();
    const end = first + suspensionsAtOnce;
    return { events: all.slice(first, end), next: end < all.length ? ofSuspensions + String(end) : undefined };
  };
  return (from: string | undefined): Promise<SnapshotPage> => {
    if (from?.startsWith(ofSuspensions) === true) return readSuspensions(Number(from.slice(ofSuspensions.length)) || 0);
    return readBans(from?.startsWith(ofBans) === true ? from.slice(ofBans.length) : undefined);
  };
}
