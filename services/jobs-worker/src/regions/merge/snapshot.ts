import type { BanIds, ListBansByEnd } from "@postern/shared/domain/brute-force";
import type { RegionEvent, SnapshotPage } from "@postern/shared/domain/regions";
import type { Clock } from "@postern/shared/platform/time";
import { findScope, type ProtectionDeps } from "./bans.ts";

export interface SnapshotDeps extends Pick<ProtectionDeps, "rules" | "keyPrefix"> {
  readonly listBans: ListBansByEnd;
  readonly banIds: BanIds;
  readonly suspensions: () => Promise<readonly RegionEvent[]>;
  /** The clock of Redis. */
  readonly clock: Clock;
}

/** Several regions may have banned one network. */
const bansAtOnce = 100;
const suspensionsAtOnce = 200;
const ofBans = "b:";
const ofSuspensions = "s:";

async function readBans(deps: SnapshotDeps, cursor: string | undefined): Promise<SnapshotPage> {
  const { listBans, banIds, clock } = deps;
  const { bans, next } = await listBans({ order: "asc", rule: undefined, size: bansAtOnce, cursor });
  const events = await Promise.all(
    bans.map(async (ban) => {
      const { network, rule } = ban;
      const scope = findScope(deps, ban);
      const ids = scope === undefined ? [] : await banIds(scope, ban, clock.now());
      return ids.map(({ id, remainingMs }) => ({ kind: "ban", id, network, rule, remainingMs }) as const);
    }),
  );
  return { events: events.flat(), next: next === undefined ? `${ofSuspensions}0` : ofBans + next };
}

async function readSuspensions({ suspensions }: SnapshotDeps, first: number): Promise<SnapshotPage> {
  const all = await suspensions();
  const end = first + suspensionsAtOnce;
  return { events: all.slice(first, end), next: end < all.length ? ofSuspensions + String(end) : undefined };
}

/**
 * Bans and suspensions that are in force. Flushes and revocations that a region missed while it was away are not among them: the log keeps
 * them for as long as it can.
 */
export function createSnapshot(deps: SnapshotDeps): (from: string | undefined) => Promise<SnapshotPage> {
  return (from) => {
    if (from?.startsWith(ofSuspensions) === true)
      return readSuspensions(deps, Number(from.slice(ofSuspensions.length)) || 0);
    return readBans(deps, from?.startsWith(ofBans) === true ? from.slice(ofBans.length) : undefined);
  };
}
