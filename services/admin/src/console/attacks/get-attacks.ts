import type { AttackSituation, Attacks } from "@postern/shared/contracts";
import type { BruteForceRecords } from "@postern/shared/domain/brute-force";
import { createBoundedCache } from "@postern/shared/platform/cache";
import { systemClock as clock, steadyClock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { numberOf, unreadable } from "../query.ts";
import { judgeAttack, type Surge, surgeIn } from "./judge-attack.ts";

type AttackContext = Pick<AdminContext, "history" | "bruteForce" | "countGuessed" | "readDay" | "locate">;

const maxNetworks = 20;
/** Those that are looked up, in one request, while there is an attack. */
const maxAttackers = 200;
/** A sample: the index has no order by number of addresses. */
const maxAccountsRead = 100;
const maxAccounts = 20;

async function accountsUnderAttack(bruteForce: BruteForceRecords): Promise<Attacks["accounts"]> {
  const { accounts } = await bruteForce.listGuessedAccounts({ size: maxAccountsRead });
  const mostGuessed = accounts.toSorted((a, b) => b.addresses.length - a.addresses.length).slice(0, maxAccounts);
  const names = mostGuessed.map(({ account }) => account);
  const [delayed, wrongPasswords] = await Promise.all([
    bruteForce.delayedAmong(names),
    Promise.all(names.map((name) => bruteForce.wrongPasswordsOf(name))),
  ]);
  return mostGuessed.map(({ account, addresses }, index) => {
    const delay = delayed.find((one) => one.account === account);
    const count = delay?.wrongPasswords ?? wrongPasswords[index] ?? 0;
    return {
      account,
      addresses: addresses.length,
      ...(count > 0 && { wrong_passwords: count }),
      ...(delay !== undefined && {
        delayed_until: new Date(delay.untilMs).toISOString(),
      }),
    };
  });
}

type Networks = Awaited<ReturnType<NonNullable<AttackContext["history"]>["failingNetworks"]>>;

/** Engines add their counts every ten seconds, and several pages ask at the same time. */
const sharedMs = 5000;

function createReadSurge({ readDay }: Pick<AttackContext, "readDay">) {
  const recent = createBoundedCache<Promise<Surge | undefined>>({
    maxEntries: 1,
    evict: "oldest",
    clock: steadyClock,
    ttlMs: sharedMs,
  });
  return (nowMs: number): Promise<Surge | undefined> => {
    const known = recent.get("");
    if (known !== undefined) return known;
    const reading = readDay(nowMs).then(surgeIn);
    recent.set("", reading);
    // What could not be read is read again.
    reading.catch(() => recent.delete(""));
    return reading;
  };
}

function createJudge(context: AttackContext) {
  const { countGuessed, locate } = context;
  const readSurge = createReadSurge(context);
  return async (networks: Networks, delayed: number, nowMs: number): Promise<AttackSituation> => {
    const surge = await readSurge(nowMs);
    const quiet = { surge, accounts: 0, attackers: [], delayed, nowMs };
    if (surge === undefined) return judgeAttack(quiet);
    const failing = networks.filter(({ counted, refused }) => counted + refused > 0);
    const addressOf = ({ network }: Networks[number]): string => network.split("/", 1).join();
    const [accounts, { placeOf }] = await Promise.all([countGuessed(surge.sinceMs), locate(failing.map(addressOf))]);
    const attackers = failing.map((one) => ({
      network: one.network,
      attempts: one.counted + one.refused,
      place: placeOf(addressOf(one)),
    }));
    return judgeAttack({ ...quiet, accounts, attackers });
  };
}

/** `GET /api/v1/console/attacks` */
export function getAttacks(context: AttackContext) {
  const { history, bruteForce } = context;
  const judge = createJudge(context);
  return async ({ query }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const minutes = numberOf(query, "minutes", { usual: 60, max: 1440 });
    const nowMs = clock.now();
    try {
      const [traffic, networks, accounts] = await Promise.all([
        history?.traffic(nowMs - (minutes - 1) * 60_000, nowMs) ?? [],
        history?.failingNetworks(nowMs, maxAttackers) ?? [],
        accountsUnderAttack(bruteForce),
      ]);
      const delayed = accounts.filter(({ delayed_until: until }) => until !== undefined).length;
      const answer: Attacks = {
        minutes: traffic.map(({ minuteMs, ...counts }) => ({ time: new Date(minuteMs).toISOString(), ...counts })),
        networks: networks.slice(0, maxNetworks).map(({ counted, ...network }) => ({ ...network, failures: counted })),
        accounts,
        situation: await judge(networks, delayed, nowMs),
      };
      return await reply.header("cache-control", "no-store").send(answer);
    } catch (error) {
      throw unreadable(error);
    }
  };
}
