import { suspensionsFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/platform/config";
import { watchRedisClock } from "@postern/shared/platform/redis";
import { catalogueMessage, type Foundation } from "../foundation.ts";
import type { SuspensionsDep } from "./refuse-suspended.ts";

/** Suspended accounts, kept in memory by this engine. */
export function createEngineSuspensions(
  config: Config,
  { base, bus, redis, live }: Pick<Foundation, "base" | "bus" | "redis" | "live">,
) {
  const suspensions = suspensionsFromConfig(config, base, { redis, bus, clock: watchRedisClock(redis) });
  const { metrics, metricsPrefix } = base;
  const refused = metrics.counter({
    name: `${metricsPrefix}_suspended_refusals_total`,
    help: "Sign-ins with a correct credential that were refused because an operator has suspended the account",
    labels: {},
  })({});
  metrics.gauge({
    name: `${metricsPrefix}_suspended_accounts`,
    help: "Accounts that operators have suspended, as this engine knows them",
    read: () => suspensions.all.length,
  });
  const dep: SuspensionsDep["suspensions"] = {
    find: (account) => suspensions.find(account),
    isAny: () => suspensions.isAny,
    isUndecidable: () => !suspensions.hasRead && live.current.needsRedis,
    refused: () => refused.inc(),
    defaultMessage: (acceptLanguage) => catalogueMessage(live, "auth.account_locked", acceptLanguage),
  };
  return { ...dep, ready: () => suspensions.ready(config.storage.redis.connect_timeout) };
}
