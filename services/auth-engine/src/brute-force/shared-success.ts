import type { Clock } from "@postern/shared/platform/time";
import type { BruteForceSettings } from "./brute-force-settings.ts";
import type { CountedAttempt, NetworkNote, SharedStore, SuccessResult } from "./shared-store.ts";
import { createWriteThrottle } from "./write-limits.ts";

/** A success is recorded again after this time, in case Redis lost it. */
const recordMs = 900_000;

/** The rules and the network for which a success counts, in the window in which it does. */
function successKey({ source, scopes }: CountedAttempt, account: string, window: number): string {
  let key = `${window} ${source.address} ${account}`;
  for (const { rule } of scopes) key += ` ${rule.name}`;
  return key;
}

/**
 * Records successes in Redis. One that was recorded in this window changes nothing, unless wrong passwords can be subtracted; then only the
 * ban is read again, together with those of other attempts.
 */
export function createSharedSuccess({
  settings: { tolerateMs, tolerationOf },
  shared,
  clock,
}: {
  readonly settings: Pick<BruteForceSettings, "tolerateMs" | "tolerationOf">;
  readonly shared: Pick<SharedStore, "check" | "succeed" | "forgiven">;
  readonly clock: Clock;
}) {
  const throttle = createWriteThrottle(clock, recordMs);
  const record = async (
    target: CountedAttempt,
    account: string,
    pending: boolean,
    note?: NetworkNote,
  ): Promise<SuccessResult | undefined> => {
    const key = successKey(target, account, tolerateMs === 0 ? 0 : Math.floor(clock.now() / tolerateMs));
    let isPending = pending;
    if (!pending && !throttle.isDue(key)) {
      const again = await shared.check(target);
      if (again === undefined || !again.pending || again.ban !== undefined) return again;
      isPending = true;
    }
    const answer = await shared.succeed(target, account, tolerationOf(target.source.address), note);
    if (answer !== undefined && answer.ban === undefined) {
      throttle.mark(key);
      if (isPending) shared.forgiven?.(target);
    }
    return answer;
  };
  return {
    /** Undefined while Redis is unavailable. What it knew before may then be lost, so everything is recorded again. */
    record: async (...of: Parameters<typeof record>): Promise<SuccessResult | undefined> => {
      const answer = await record(...of);
      if (answer === undefined) throttle.clear();
      return answer;
    },
    forget: throttle.clear,
  };
}

export type SharedSuccess = ReturnType<typeof createSharedSuccess>;
