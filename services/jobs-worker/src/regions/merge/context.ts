import { domainFlushed, sessionsEndedElsewhere } from "@postern/shared/contracts";
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
import { changedFactsKey, decidedInRedis } from "@postern/shared/platform/redis";
import { createApplyAccountFlush } from "./account-flush.ts";
import { type Applier, createProtectionAppliers } from "./bans.ts";
import { createCountsFeed } from "./counts-feed.ts";
import { createFactsFeed } from "./facts-feed.ts";
import type { MergeParts } from "./parts.ts";
import { createSnapshot } from "./snapshot.ts";

type Appliers = { readonly [Kind in RegionEventKind]: Applier<Kind> };

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

function factsFeedOf({ state, keyPrefix, live, clock }: MergeParts): RegionFeed {
  return createFactsFeed({
    redis: state,
    keyPrefix,
    facts: createSharedFacts(state, keyPrefix, () => live.current.risk),
    marks: new ChangeMarks(state, keyPrefix, changedFactsKey),
    clock,
  });
}

/** How the state of other regions is merged with that of this one. */
export function createRegionAppliers(parts: MergeParts): RegionAppliers {
  const { state, keyPrefix, bus, clock } = parts;
  const revocations = createRevocationMerge(state, keyPrefix);
  const sessionEnds = createSessionEnds(state, keyPrefix);
  const suspensions = createSuspensionMerge(state, keyPrefix, bus);
  const appliers: Appliers = {
    begun: () => Promise.resolve(),
    ...createProtectionAppliers(parts),
    "account-flush": createApplyAccountFlush(parts),
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
    snapshot: createSnapshot(parts, suspensions.all),
    feeds: [createCountsFeed(parts), factsFeedOf(parts)],
  };
}
