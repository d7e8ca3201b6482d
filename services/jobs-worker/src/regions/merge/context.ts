import type { FlushSettings } from "@postern/shared/assembly";
import { bruteForceFlushed, domainFlushed, sessionsEndedElsewhere } from "@postern/shared/contracts";
import { createAccountFlush } from "@postern/shared/domain/account-epoch";
import {
  CountMarks,
  createBanIds,
  createBanIndex,
  createBansByEnd,
  createBruteForceRecords,
  createKnownNetworks,
  createRegionalFlush,
  createSharedBans,
  createSharedCounts,
  forgetWrongPasswords,
  type OwnRegion,
} from "@postern/shared/domain/brute-force";
import { createScriptedNames } from "@postern/shared/domain/flush";
import {
  ChangeMarks,
  createSessionEnds,
  type EventOfKind,
  type RegionAppliers,
  type RegionEventKind,
  type RegionFeed,
  type RegionOrigin,
} from "@postern/shared/domain/regions";
import { createSharedFacts } from "@postern/shared/domain/risk";
import { createSuspensionMerge } from "@postern/shared/domain/suspensions";
import { createRevocationMerge } from "@postern/shared/domain/tokens";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { changedFactsKey, decidedInRedis, type RedisClient, type RedisClock } from "@postern/shared/platform/redis";
import { createProtectionAppliers } from "./bans.ts";
import { createCountsFeed } from "./counts-feed.ts";
import { createFactsFeed } from "./facts-feed.ts";
import { createSnapshot } from "./snapshot.ts";

interface MergeParts {
  readonly state: RedisClient;
  readonly cache: RedisClient;
  readonly bus: Pick<Bus, "publish" | "request">;
  readonly live: { readonly current: FlushSettings };
  /** The clock of Redis. */
  readonly clock: RedisClock;
  readonly region: OwnRegion;
}

type Appliers = {
  readonly [Kind in RegionEventKind]: (event: EventOfKind<Kind>, origin: RegionOrigin) => Promise<void>;
};

/**
 * Flushes an account that another region has flushed. Its failures over all networks have their own event, and the facts about its sign-ins
 * go with the feed of facts. The addresses that only this region knows are flushed as if an operator had flushed them here, so that all
 * regions hear of it.
 */
function createApplyAccountFlush(config: Config, { state, cache, bus, live, clock, region }: MergeParts) {
  const { prefix: keyPrefix } = config.storage.redis;
  const flushDeps = {
    redis: state,
    keyPrefix,
    rules: () => live.current.rules,
    clock,
    regions: createRegionalFlush(state, keyPrefix, region),
    onFlushed: ({ addresses, rules }: Readonly<Record<"addresses" | "rules", readonly string[]>>) => {
      bus.publish(bruteForceFlushed, { addresses: [...addresses], rules: [...rules] });
    },
  };
  const flushResults = createAccountFlush({ redis: cache, bus, keyPrefix });
  const scriptedNames = createScriptedNames(bus, keyPrefix, () => live.current.hasScript);
  const records = createBruteForceRecords(flushDeps);
  return async ({ user, keepsBans = false }: EventOfKind<"account-flush">): Promise<void> => {
    await flushResults(user);
    const addresses = await records.addressesOf(user);
    await forgetWrongPasswords(flushDeps, user, addresses);
    if (!keepsBans) for (const ipAddress of addresses) await records.flush({ ipAddress, ruleName: "*" });
    // Last, because a script may take its time.
    const { keys } = await scriptedNames(user);
    await Promise.all(keys.map((key) => cache.del(key)));
  };
}

const decided = decidedInRedis("what another region sent could not be stored");

/** Whatever fails may succeed later, except for what this region has no place for. */
async function orLater(work: () => Promise<void>): Promise<void> {
  const refused: RangeError[] = [];
  await decided(async () => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refused.push(error);
    }
  });
  if (refused[0] !== undefined) throw refused[0];
}

function factsFeedOf(keyPrefix: string, { state, live, clock }: MergeParts): RegionFeed {
  return createFactsFeed({
    redis: state,
    keyPrefix,
    facts: createSharedFacts(state, keyPrefix, () => live.current.risk),
    marks: new ChangeMarks(state, keyPrefix, changedFactsKey),
    clock,
  });
}

/** How the state of other regions is merged with that of this one. */
export function createRegionAppliers(config: Config, parts: MergeParts): RegionAppliers {
  const { state, bus, live, clock, region } = parts;
  const { prefix: keyPrefix } = config.storage.redis;
  const rules = () => live.current.rules;
  const counts = createSharedCounts(state, region.name);
  const common = { redis: state, keyPrefix, rules, clock, counts };
  const revocations = createRevocationMerge(state, keyPrefix);
  const sessionEnds = createSessionEnds(state, keyPrefix);
  const suspensions = createSuspensionMerge(state, keyPrefix, bus);
  const appliers: Appliers = {
    begun: () => Promise.resolve(),
    ...createProtectionAppliers({
      ...common,
      bus,
      changeBan: createSharedBans(state, keyPrefix, region.name),
      marks: new CountMarks(state, keyPrefix),
      index: createBanIndex(state, keyPrefix),
    }),
    "account-flush": createApplyAccountFlush(config, parts),
    "token-denied": ({ id, remainingMs }, { ageMs }) => revocations.deny(id, remainingMs - ageMs),
    "subject-denied": ({ digest, epoch }) => revocations.denySubject(digest, epoch),
    suspension: suspensions.merge,
    "session-end": async ({ account }, { ageMs }) => {
      await sessionEnds.order({ account, untilMs: clock.now() - ageMs });
      bus.publish(sessionsEndedElsewhere, {});
    },
    "domain-flush": async ({ domain }) => {
      bus.publish(domainFlushed, domain === undefined ? {} : { domain });
    },
  };
  const applierOf = <Kind extends RegionEventKind>(kind: Kind): Appliers[Kind] => appliers[kind];
  const apply = <Kind extends RegionEventKind>(
    event: EventOfKind<Kind> & { readonly kind: Kind },
    origin: RegionOrigin,
  ) => orLater(() => applierOf(event.kind)(event, origin));
  return {
    apply,
    snapshot: createSnapshot({
      keyPrefix,
      rules,
      clock,
      listBans: createBansByEnd(state, keyPrefix, clock),
      banIds: createBanIds(state, keyPrefix, region.name),
      suspensions: suspensions.all,
    }),
    feeds: [
      createCountsFeed({
        ...common,
        networks: createKnownNetworks(state, keyPrefix),
        delayedFrom: () => live.current.delayedFrom,
        knownSeconds: () => live.current.knownSeconds,
      }),
      factsFeedOf(keyPrefix, parts),
    ],
    // Counts of a region that is gone end with their windows.
    forget: () => Promise.resolve(),
  };
}
