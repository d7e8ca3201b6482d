import {
  accountKinds,
  dayLifeSeconds,
  maxDomainsADay,
  otherDomains,
  weekLifeSeconds,
} from "@postern/shared/domain/domain-counts";
import type { KeyedDigest } from "@postern/shared/platform/crypto";
import {
  defineVariableScript,
  domainAccountsKey,
  domainBatchKey,
  domainDayKey,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { SendBatch } from "../rollups/batch-writer.ts";
import type { DomainBatch } from "./domain-counts.ts";
import addDomainCountsLua from "./scripts/add-domain-counts.lua?raw";

/** Characters of a digest; enough for millions of accounts. */
const digestLength = 16;

/**
 * @param engine unique to this process.
 * @param digest under a key that is not in Redis, so that its readers cannot try whether an account is among those of a domain
 */
export function createDomainCountStore(
  redis: RedisClient,
  keyPrefix: string,
  engine: string,
  digest: KeyedDigest,
): SendBatch<DomainBatch> {
  const run = defineVariableScript(redis, { name: "addDomainCounts", lua: addDomainCountsLua }, 1);
  const batchKey = domainBatchKey.build(keyPrefix, engine);
  return async (batch, [first]) => {
    if (first === undefined) return;
    const { day, week, seconds, parts } = first;
    const dayKey = domainDayKey.build(keyPrefix, String(day));
    const written = parts.flatMap(({ domain, ok, failed, accounts }) => [
      domain,
      ok,
      failed,
      ...accountKinds.flatMap((kind) => [
        domainAccountsKey.build(keyPrefix, kind, String(week), domain),
        accounts[kind].length,
        ...accounts[kind].map((account) => digest(account.toLowerCase(), "base64url").slice(0, digestLength)),
      ]),
    ]);
    const limits = [dayKey, dayLifeSeconds, maxDomainsADay, otherDomains, seconds, weekLifeSeconds];
    await run([batchKey], [batch, domainBatchKey.ttlSeconds, ...limits, accountKinds.length, ...written]);
  };
}
