import { Redis, type RedisOptions } from "ioredis";
import type { HostPort } from "../net/host-port.ts";
import { steadyClock } from "../time/clock.ts";
import {
  type Agreement,
  addressText,
  agreementOf,
  readSentinels,
  readView,
  type SentinelView,
} from "./sentinel-view.ts";

type Login = Pick<RedisOptions, "username" | "password">;

export type SentinelPanel = ReturnType<typeof createSentinelPanel>;

const answerMs = 1000;
const reconnectMs = 500;
const keepAliveMs = 5000;
/** A process that was stopped in between has old answers. */
const validMs = 2 * answerMs;
/** More than any site runs. */
const maxSentinels = 32;

interface Answer {
  readonly view: SentinelView;
  readonly others: readonly HostPort[];
}

function connectTo({ host, port }: HostPort, login: Login): Redis {
  const sentinel = new Redis({
    ...login,
    host,
    port,
    protocol: 2,
    enableReadyCheck: false,
    connectTimeout: answerMs,
    commandTimeout: answerMs,
    socketTimeout: answerMs,
    keepAlive: keepAliveMs,
    // A question is not repeated over the next connection.
    maxRetriesPerRequest: 0,
    retryStrategy: () => reconnectMs,
  });
  // A missing answer says the same.
  sentinel.on("error", () => undefined);
  return sentinel;
}

async function askOne(sentinel: Redis, address: HostPort, master: string): Promise<Answer> {
  // In one packet, so that the sentinel answers all of it before it learns anything new.
  const replies = await sentinel
    .pipeline([
      ["sentinel", "master", master],
      ["sentinel", "get-master-addr-by-name", master],
      ["sentinel", "sentinels", master],
      ["sentinel", "myid"],
    ])
    .exec();
  const [primary, named, others, id] = replies ?? [];
  if (primary?.[0] instanceof Error) throw primary[0];
  // Sentinels before Redis 6.2 do not tell their id.
  const name = typeof id?.[1] === "string" ? id[1] : addressText(address);
  const view = readView(name, primary?.[1], named?.[1]);
  if (view === undefined) throw new Error("not the reply of a sentinel");
  return { view, others: readSentinels(others?.[1]) };
}

/**
 * All sentinels of a primary.
 *
 * @param sentinels those of the configuration; the panel asks those that they know, too
 */
export function createSentinelPanel(master: string, sentinels: readonly HostPort[], login: Login) {
  const members = new Map<string, { readonly address: HostPort; readonly client: Redis }>();
  const add = (address: HostPort): void => {
    const name = addressText(address);
    if (members.has(name) || members.size >= maxSentinels) return;
    members.set(name, { address, client: connectTo(address, login) });
  };
  for (const address of sentinels) add(address);
  const configured = members.size;

  const askAll = async (): Promise<Agreement> => {
    const all = [...members.values()];
    const results = await Promise.allSettled(all.map(({ client, address }) => askOne(client, address, master)));
    const answers = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const agreement = agreementOf(
      answers.map(({ view }) => view),
      configured,
    );
    // The address of a sentinel may be written in two ways, so that only a shortage shows that some are not configured.
    if (answers.some(({ view }) => view.sentinels > all.length)) for (const { others } of answers) others.forEach(add);
    if (agreement.isConfirmed) return agreement;
    const silent = results.flatMap((result, index) => {
      const member = all[index];
      return result.status === "fulfilled" || member === undefined
        ? []
        : [`; ${addressText(member.address)}: ${String(result.reason)}`];
    });
    return { isConfirmed: false, reason: `${agreement.reason}${silent.join("")}` };
  };

  return {
    /** Asks all sentinels, within about a second. */
    ask: async (): Promise<Agreement> => {
      const startedAt = steadyClock.now();
      const agreement = await askAll();
      return steadyClock.now() - startedAt > validMs
        ? { isConfirmed: false, reason: "the sentinels' answers came too late" }
        : agreement;
    },
    close: (): void => {
      for (const { client } of members.values()) client.disconnect();
      members.clear();
    },
  };
}
