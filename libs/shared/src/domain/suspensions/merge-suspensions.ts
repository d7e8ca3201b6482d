import { suspensionsChanged } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { suspensionsKey } from "../../platform/redis/keys/general.ts";
import type { EventOfKind } from "../regions/index.ts";
import { createWriteSuspension, decidedOfSuspensions } from "./write-suspension.ts";

/** Takes over what other regions have stored about suspended accounts. All methods throw AppError REDIS_UNAVAILABLE. */
export function createSuspensionMerge(redis: RedisClient, keyPrefix: string, bus: Pick<Bus, "publish">) {
  const write = createWriteSuspension(redis, keyPrefix);
  return {
    /** The newest change wins, whichever region made it. */
    merge: async ({ account, value }: EventOfKind<"suspension">): Promise<void> => {
      const written = await write([[account, value]], { onlyIfNewer: true });
      if (written.length > 0) bus.publish(suspensionsChanged, {});
    },
    /** Everything that is stored here. */
    all: async (): Promise<readonly EventOfKind<"suspension">[]> => {
      const stored = await decidedOfSuspensions(() => redis.hgetall(suspensionsKey.build(keyPrefix)));
      // The field with the empty name is the version.
      const accounts = Object.entries(stored).filter(([account]) => account !== "");
      return accounts.map(([account, value]) => ({ kind: "suspension", account, value }));
    },
  };
}
