import { type ChangeMarks, type RegionFeed, readChanges } from "@postern/shared/domain/regions";
import { decodeAccountFacts, decodeReviews, type SharedFacts } from "@postern/shared/domain/risk";
import { compileCheck } from "@postern/shared/platform/bus";
import { changedFactsKey, type RedisClient } from "@postern/shared/platform/redis";
import { type Static, Type } from "typebox";

const pageSize = 200;
/** Of a page; a single account may have more. */
const maxPageLength = 128 * 1024;
const everyMs = 5000;
const minuteMs = 60_000;
/** What a clock that is wrong in another region may add to the time. */
const maxAheadMinutes = 10;
const maxFactsLength = 2048;
const maxReviewsLength = 65_536;

const whole = Type.Integer({ minimum: 0 });
/** What a region knows of an account, as it is stored. */
const Item = Type.Object({
  account: Type.String({ pattern: "^[A-Za-z0-9_-]{22}$", description: "Keyed digest of the name." }),
  facts: Type.String({ maxLength: maxFactsLength }),
  reviews: Type.String({ maxLength: maxReviewsLength }),
  flushedMs: whole,
  sentMinute: whole,
});
type Item = Static<typeof Item>;
const itemCheck = compileCheck(Item);

interface FactsDeps {
  /** The client of the role `state`. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly facts: SharedFacts;
  readonly marks: Pick<ChangeMarks, "mark">;
  /** The clock of Redis. */
  readonly clock: { now(): number };
}

const isReadable = ({ facts, reviews }: Item): boolean =>
  (facts === "" || decodeAccountFacts(facts) !== undefined) && (reviews === "" || decodeReviews(reviews) !== undefined);

/** As many as a page may have, and at least one. */
function firstOf(items: readonly Item[]): readonly Item[] {
  let length = 0;
  const end = items.findIndex(({ facts, reviews }, index) => {
    length += facts.length + reviews.length;
    return index > 0 && length > maxPageLength;
  });
  return end < 0 ? items : items.slice(0, end);
}

/**
 * What is known of accounts, their suspicious sign-ins, and the answers of users. A region whose facts
 * a merge has changed to something that the other one does not have sends them too, so that all end with the same.
 */
export function createFactsFeed({ redis, keyPrefix, facts, marks, clock }: FactsDeps): RegionFeed {
  const minuteNow = (): number => Math.floor(clock.now() / minuteMs);
  const apply = async (item: Item): Promise<boolean> => {
    const now = minuteNow();
    // What is confirmed there counts here, although the clock here may be behind.
    const minute = Math.min(Math.max(now, item.sentMinute), now + maxAheadMinutes);
    if (await facts.merge(item.account, item, minute)) await marks.mark([item.account]);
    return true;
  };
  return {
    name: "facts",
    everyMs,
    read: async (from) => {
      const changed = await readChanges(redis, changedFactsKey.build(keyPrefix), from, pageSize);
      const sentMinute = minuteNow();
      const found = await Promise.all(
        changed.map(async ({ of: account }) => ({ account, sentMinute, ...(await facts.read(account)) })),
      );
      const items = firstOf(found);
      const next = changed[items.length - 1]?.version ?? from ?? "0";
      return { items, next, isLast: changed.length < pageSize && items.length === changed.length };
    },
    apply: async (_region, items) => {
      const understood = await Promise.all(
        items.map(async (item) => itemCheck.accepts(item) && isReadable(item) && apply(item)),
      );
      return understood.filter((is) => !is).length;
    },
  };
}
