import { createRiskNames, decodeAccountFacts, encodeAccountFacts } from "@postern/shared/domain/risk";
import { riskAccountKey, riskReviewKey } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { testRedis } from "../../support/redis-content.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import type { Stack } from "../../support/stack.ts";
import { passwordNonce } from "../../support/stack-config.ts";

const names = createRiskNames(passwordNonce);
const familyOf = { facts: riskAccountKey, review: riskReviewKey } as const;

/** The value that engines keep of an account; empty if there is none. */
export async function keptOf(stack: Stack, account: string, kind: keyof typeof familyOf): Promise<string> {
  const redis = await testRedis(stack.redis?.port ?? 0);
  try {
    return (await redis.get(familyOf[kind].build("postern:", names.account(account)))) ?? "";
  } finally {
    redis.disconnect();
  }
}

/** The networks of the account become known: its sign-ins in them are some minutes old. */
export async function ageNetworks(stack: Stack, account: string): Promise<void> {
  const facts = decodeAccountFacts(await keptOf(stack, account, "facts"));
  if (facts === undefined) throw new TypeError(`no facts about ${account}`);
  const networks = facts.networks.map((one) => ({ ...one, firstMinute: one.firstMinute - 10 }));
  const redis = await testRedis(stack.redis?.port ?? 0);
  try {
    const key = riskAccountKey.build("postern:", names.account(account));
    await redis.set(key, encodeAccountFacts({ ...facts, networks }), "KEEPTTL");
  } finally {
    redis.disconnect();
  }
}

/** Waits until what engines keep of an account has changed: they write after the response. */
export async function remembered<Result>(
  stack: Stack,
  { account, kind = "facts" }: { readonly account: string; readonly kind?: keyof typeof familyOf },
  act: () => Promise<Result>,
): Promise<Result> {
  const before = await keptOf(stack, account, kind);
  const result = await act();
  await poll(`${kind} of ${account}`, async () => (await keptOf(stack, account, kind)) !== before);
  return result;
}

/** References of the suspicious sign-ins from an address that an engine has written to the audit stream. */
export const reportedIn = (engine: ServiceProcess, clientIp: string): readonly string[] =>
  engine
    .output()
    .split("\n")
    .filter((line) => line.includes('"event":"risk.sign_in"') && line.includes(`"${clientIp}"`))
    .map((line) => /"session":"([^"]+)"/u.exec(line)?.[1] ?? "");

export const reportsOf = (engine: ServiceProcess, clientIp: string): number => reportedIn(engine, clientIp).length;

/** How many sign-ins each engine has scored. */
export const scoredBy = ({ engines }: Stack): Promise<readonly number[]> =>
  Promise.all(
    engines.map(async (engine) => {
      const lines = (await engine.metrics()).matchAll(/^\w+_risk_sign_ins_total\{[^}]*\} (\d+)$/gmu);
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
    }),
  );

/**
 * Repeats a sign-in with a correct password, until each engine has decided one whose outcome `counts`. What one engine remembers,
 * the others follow within a second.
 * @returns an outcome of each engine
 */
export async function atEachEngine<Outcome>(
  stack: Stack,
  again: () => Promise<Outcome>,
  counts: (outcome: Outcome) => boolean = () => true,
): Promise<readonly Outcome[]> {
  const outcomes = new Map<number, Outcome>();
  await poll("a sign-in at each engine", async () => {
    const before = await scoredBy(stack);
    const outcome = await again();
    const engine = await poll("the score of a sign-in", async () => {
      const after = await scoredBy(stack);
      const place = after.findIndex((count, index) => count > (before[index] ?? 0));
      return place < 0 ? undefined : `${place}`;
    });
    if (counts(outcome)) outcomes.set(Number(engine), outcome);
    return outcomes.size === stack.engines.length;
  });
  return [...outcomes.values()];
}
