import type { Attacks } from "@postern/shared/contracts";
import type { BruteForceRecords } from "@postern/shared/domain/brute-force";
import { systemClock as clock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { numberOf, unreadable } from "../query.ts";

const maxNetworks = 20;
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

/** `GET /api/v1/console/attacks` */
export function getAttacks({ history, bruteForce }: Pick<AdminContext, "history" | "bruteForce">) {
  return async ({ query }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const minutes = numberOf(query, "minutes", { usual: 60, max: 1440 });
    const nowMs = clock.now();
    try {
      const [traffic, networks, accounts] = await Promise.all([
        history?.traffic(nowMs - (minutes - 1) * 60_000, nowMs) ?? [],
        history?.failingNetworks(nowMs, maxNetworks) ?? [],
        accountsUnderAttack(bruteForce),
      ]);
      const answer: Attacks = {
        minutes: traffic.map(({ minuteMs, ...counts }) => ({ time: new Date(minuteMs).toISOString(), ...counts })),
        networks: networks.map(({ counted, ...network }) => ({ ...network, failures: counted })),
        accounts,
      };
      return await reply.header("cache-control", "no-store").send(answer);
    } catch (error) {
      throw unreadable(error);
    }
  };
}
