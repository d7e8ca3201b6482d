import { rollupFields, rollupSeries, rollupSeriesNames } from "@postern/shared/domain/rollups";
import { rollupKey } from "@postern/shared/platform/redis";
import { connect } from "./bans.ts";

const keyPrefix = "postern:";

/** Fills the sign-ins over time completely, with every field that engines write. */
export async function writeRollups(port: number): Promise<void> {
  const redis = await connect(port);
  try {
    const nowMs = Date.now();
    for (const series of rollupSeriesNames) {
      const { stepMs, kept } = rollupSeries[series];
      const last = Math.floor(nowMs / stepMs);
      const fields = rollupFields.flatMap((field, index) => [field, 1000 + index * 997]);
      await Promise.all(
        Array.from({ length: kept }, (_, age) =>
          redis.hset(rollupKey.build(keyPrefix, series, String(last - age)), "bans", 1_000_000, ...fields),
        ),
      );
    }
  } finally {
    redis.disconnect();
  }
}
