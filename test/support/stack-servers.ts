import { type NatsServer, type RedisServer, spawnNats, spawnRedis } from "@postern/testing";
import type { StackPlaces } from "./stack-config.ts";

const portOf = (url: string): number => Number(new URL(url).port);

/** NATS and Redis on the ports of a stack. They stop together with the stack that owns them. */
export function createServers(stack: AsyncDisposableStack, { natsUrl, redisUrl }: StackPlaces) {
  // Of its own, so that a server that is started again does not stop before the services.
  const owned = stack.use(new AsyncDisposableStack());
  let nats: NatsServer | undefined;
  let redis: RedisServer | undefined;
  return {
    nats: () => {
      if (nats === undefined) throw new Error("NATS was not started");
      return nats;
    },
    redis: () => redis,
    startNats: async () => {
      nats = owned.use(await spawnNats({ port: portOf(natsUrl) }));
      return nats;
    },
    startRedis: async () => {
      redis = owned.use(await spawnRedis({ port: portOf(redisUrl) }));
      return redis;
    },
  };
}
