import {
  accountWideKeys,
  type CountName,
  countNamed,
  type KnownNetworks,
  keysOfAccountCount,
  keysOfNetworkCount,
  type ReadCount,
} from "@postern/shared/domain/brute-force";
import { type RegionFeed, readChanges } from "@postern/shared/domain/regions";
import { compileCheck } from "@postern/shared/platform/bus";
import { changedCountsKey } from "@postern/shared/platform/redis";
import { type Static, Type } from "typebox";
import { findScope, type ProtectionDeps } from "./bans.ts";

const pageSize = 500;
const everyMs = 250;
const maxFailures = 64;

const whole = Type.Integer({ minimum: 0 });

/** A count of another region, or the networks that an account knows. `periodMs`: of the rule, since counts of another period mean something else. */
const Item = Type.Object({
  of: Type.String({ maxLength: 2048 }),
  version: Type.String({ pattern: "^[0-9]{1,16}$" }),
  sentMs: whole,
  figures: Type.Optional(Type.Array(whole, { maxItems: 5 })),
  known: Type.Optional(Type.Array(Type.Tuple([Type.String({ minLength: 1, maxLength: 64 }), whole]), { maxItems: 64 })),
  periodMs: Type.Optional(Type.Number()),
});
type Item = Static<typeof Item>;
const itemCheck = compileCheck(Item);

interface CountsDeps extends Pick<ProtectionDeps, "redis" | "keyPrefix" | "rules" | "counts"> {
  /** Failures from which an account is delayed; undefined if none is. */
  readonly delayedFrom: () => number | undefined;
  readonly knownSeconds: () => number;
  readonly networks: KnownNetworks;
}

const wholeOf = (text: string | null | undefined): number => Math.max(0, Math.floor(Number(text ?? 0)) || 0);

/** Undefined for a rule that no longer exists. */
async function readFigures(deps: CountsDeps, count: CountName, nowMs: number) {
  const { redis, keyPrefix } = deps;
  if ("knownTo" in count) return { known: await deps.networks.read(count.knownTo, nowMs / 1000) };
  if ("account" in count) {
    const { failures } = accountWideKeys(keyPrefix, count.account);
    const [size, leftMs] = await Promise.all([redis.scard(failures), redis.pttl(failures)]);
    return { figures: [Math.min(maxFailures, size), nowMs + Math.max(0, leftMs)] };
  }
  const scope = findScope(deps, count);
  if (scope === undefined) return undefined;
  const fields = await redis.hmget(scope.countKey, "w", "k", "u", "pk", "pu");
  return { figures: fields.map(wholeOf), periodMs: scope.rule.periodMs };
}

async function applyAccount(deps: CountsDeps, account: string, read: ReadCount): Promise<boolean> {
  const slowedFrom = deps.delayedFrom();
  if (read.figures.length !== 2) return false;
  if (slowedFrom === undefined) return true;
  await deps.counts.mergeAccount(keysOfAccountCount(deps.keyPrefix, account), read, slowedFrom);
  return true;
}

/** @returns whether this region understands it */
async function applyItem(deps: CountsDeps, region: string, item: Item): Promise<boolean> {
  const { keyPrefix, counts, networks } = deps;
  const { version, sentMs, figures = [], known } = item;
  const read: ReadCount = { region, version, sentMs, figures };
  const count = countNamed(item.of);
  if (count === undefined) return false;
  if ("account" in count) return applyAccount(deps, count.account, read);
  if ("knownTo" in count) {
    if (known === undefined) return false;
    await networks.merge(count.knownTo, known, deps.knownSeconds());
    return true;
  }
  const scope = findScope(deps, count);
  if (scope === undefined || scope.rule.periodMs !== item.periodMs || figures.length !== 5) return false;
  await counts.mergeNetwork(keysOfNetworkCount(keyPrefix, scope), read);
  return true;
}

/**
 * Failures of networks and of accounts: each region sends what it has counted itself, and adds what the others send. And the networks that an
 * account knows, which are those of all regions.
 */
export function createCountsFeed(deps: CountsDeps): RegionFeed {
  return {
    name: "counts",
    everyMs,
    read: async (from) => {
      const changed = await readChanges(deps.redis, changedCountsKey.build(deps.keyPrefix), from, pageSize);
      const [seconds, microseconds] = changed.length === 0 ? [0, 0] : await deps.redis.time();
      const sentMs = Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
      const items = await Promise.all(
        changed.map(async ({ of, version }) => {
          const count = countNamed(of);
          const figures = count && (await readFigures(deps, count, sentMs));
          return figures === undefined ? [] : [{ of, version, sentMs, ...figures }];
        }),
      );
      const next = changed.at(-1)?.version ?? from ?? "0";
      return { items: items.flat(), next, isLast: changed.length < pageSize };
    },
    apply: async (region, items) => {
      const understood = await Promise.all(
        items.map(async (item) => itemCheck.accepts(item) && applyItem(deps, region, item)),
      );
      return understood.filter((is) => !is).length;
    },
  };
}
