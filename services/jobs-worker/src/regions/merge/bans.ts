import { bruteForceFlushed, networkBanned } from "@postern/shared/contracts";
import {
  type Ban,
  CountMarks,
  countText,
  createBanIndex,
  createSharedBans,
  createSharedCounts,
  keysOfAccountCount,
  keysOfNetworkCount,
  otherKeysOf,
  sourceOf,
  type TaggedScope,
  unindexBans,
} from "@postern/shared/domain/brute-force";
import type { EventOfKind, FlushedScope, RegionEventKind, RegionOrigin } from "@postern/shared/domain/regions";
import type { MergeParts } from "./parts.ts";

function depsOf({ state: redis, keyPrefix, bus, live, clock, region }: MergeParts) {
  return {
    redis,
    keyPrefix,
    bus,
    clock,
    live,
    changeBan: createSharedBans(redis, keyPrefix, region.name),
    counts: createSharedCounts(redis, region.name),
    marks: new CountMarks(redis, keyPrefix),
    index: createBanIndex(redis, keyPrefix),
  };
}

type ProtectionDeps = ReturnType<typeof depsOf>;

export type Applier<Kind extends RegionEventKind> = (event: EventOfKind<Kind>, origin: RegionOrigin) => Promise<void>;

/** A rule of this region in a network; undefined if it has no such rule, or one with other networks. */
export function findScope(
  { live, keyPrefix }: Pick<MergeParts, "live" | "keyPrefix">,
  { network, rule }: { readonly network: string; readonly rule: string },
): TaggedScope | undefined {
  const source = sourceOf(network.split("/", 1)[0] ?? "", { ...live.current.rules, keyPrefix });
  const scope = source?.scopes.find((one) => one.rule.name === rule && one.network === network);
  return source && scope && { ...scope, tag: source.tag };
}

/** Engines read the ban where they read their own; the index and the event are for lists and for an outage of Redis. */
async function announce({ bus, index }: ProtectionDeps, { banKey }: TaggedScope, ban: Ban): Promise<void> {
  await index(banKey, ban);
  bus.publish(networkBanned, ban);
}

const applyBan =
  (deps: ProtectionDeps): Applier<"ban"> =>
  async ({ id, network, rule, remainingMs }, { ageMs }) => {
    const scope = findScope(deps, { network, rule });
    if (scope === undefined) throw new RangeError("there is no such rule in this region");
    const { ban, isChanged } = await deps.changeBan(scope, { add: [{ id, remainingMs: remainingMs - ageMs }] });
    if (isChanged && ban !== undefined) await announce(deps, scope, ban);
  };

/** @returns whether the flush is new here */
async function flushScope(
  deps: ProtectionDeps,
  { network, rule, version, cuts, bans }: FlushedScope,
  { region, ageMs }: RegionOrigin,
): Promise<boolean> {
  const { redis, keyPrefix, counts, changeBan, marks } = deps;
  const scope = findScope(deps, { network, rule });
  if (scope === undefined) return false;
  const { isNew } = await counts.cut(keysOfNetworkCount(keyPrefix, scope), { region, version, cuts });
  // The other regions must not keep what this one had counted. A repetition may follow an attempt that ended here.
  await marks.mark([countText({ network, rule })]);
  const remove = bans.map(({ id, remainingMs }) => ({ id, remainingMs: remainingMs - ageMs }));
  const { ban, isChanged } = await changeBan(scope, { remove });
  // Engines also remember successes of the network that the flush has removed.
  if (isNew || isChanged)
    deps.bus.publish(bruteForceFlushed, { addresses: [network.split("/", 1)[0] ?? network], rules: [rule] });
  if (!isChanged) return isNew;
  await unindexBans({ redis, keyPrefix }, [scope.banKey]);
  // A ban that the other region did not know stays in force.
  if (ban !== undefined) await announce(deps, scope, ban);
  return isNew;
}

const applyRuleFlush =
  (deps: ProtectionDeps): Applier<"rule-flush"> =>
  async ({ address, isWhole, scopes }, origin) => {
    const { redis, keyPrefix, live, clock } = deps;
    const areNew = await Promise.all(scopes.map((scope) => flushScope(deps, scope, origin)));
    const parts = { ...live.current.rules, keyPrefix };
    const source = sourceOf(address, parts);
    if (!isWhole || source === undefined || !areNew.includes(true)) return;
    await Promise.all(otherKeysOf(parts, source, clock.now()).map((key) => redis.del(key)));
  };

const applyGuessesFlush =
  ({ keyPrefix, counts, marks }: ProtectionDeps): Applier<"guesses-flush"> =>
  async ({ user, version, cuts }, { region }) => {
    await counts.cut(keysOfAccountCount(keyPrefix, user), { region, version, cuts });
    await marks.mark([countText({ account: user })]);
  };

/** Merges what other regions tell about bans and flushes of counts. */
export function createProtectionAppliers(parts: MergeParts) {
  const deps = depsOf(parts);
  return { ban: applyBan(deps), "rule-flush": applyRuleFlush(deps), "guesses-flush": applyGuessesFlush(deps) };
}
