import { maxOrigins, originRangeNames, originRanges } from "@postern/shared/domain/origins";
import { originKey } from "@postern/shared/platform/redis";
import { connect } from "./bans.ts";

const keyPrefix = "postern:";
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const codes = Array.from(
  { length: maxOrigins.countries },
  (_, index) => `${letters[Math.floor(index / 26)] ?? "A"}${letters[index % 26] ?? "A"}`,
);

const counts = (index: number): string => `${1000 + index * 997} ${2000 + index * 1997}`;

/** Fills the sign-ins by origin completely, with the most entries that engines write. */
export async function writeOrigins(port: number): Promise<void> {
  const redis = await connect(port);
  try {
    const nowMs = Date.now();
    const countries = codes.flatMap((code, index) => [code, counts(index)]);
    const systems = codes
      .slice(0, maxOrigins.systems)
      .flatMap((code, index) => [String(64_500 + index), `${counts(index)} Network owner ${code}`]);
    for (const range of originRangeNames) {
      const { series, stepMs, periods } = originRanges[range];
      const last = Math.floor(nowMs / stepMs);
      await Promise.all(
        Array.from({ length: periods }, async (_, age) => {
          await redis.hset(originKey.build(keyPrefix, series, String(last - age), "countries"), ...countries);
          await redis.hset(originKey.build(keyPrefix, series, String(last - age), "systems"), ...systems);
        }),
      );
    }
  } finally {
    redis.disconnect();
  }
}
