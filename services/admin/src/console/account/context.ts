import { type EngineBus, keyRingFromConfig } from "@postern/shared/assembly";
import {
  type BackendDescription,
  describeAccount,
  mfaAppPasswordsList,
  mfaFactorsRead,
} from "@postern/shared/contracts";
import { type AccountChanges, createSentNotifications } from "@postern/shared/domain/history";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import type { Config } from "@postern/shared/platform/config";
import type { RedisClient } from "@postern/shared/platform/redis";
import { steadyClock } from "@postern/shared/platform/time";
import type { FactorLocks } from "../../factor-locks/factor-locks-redis.ts";
import type { LostPhone } from "../../lost-phone/create-lost-phone-code.ts";
import type { LiveAdminSettings } from "../../settings.ts";
import { createReportAccount, type ReportAccount } from "./account-report.ts";

interface Parts extends Pick<EngineBus, "bus"> {
  readonly live: { readonly current: LiveAdminSettings };
  readonly state: RedisClient;
  readonly rememberedDevices: RememberedDevices | undefined;
  readonly changes: AccountChanges | undefined;
  readonly judgeLostPhone: LostPhone["judgeLostPhone"];
}

/** Customers mostly call about mail programs, which use this protocol. */
const protocol = "imap";
/** The page waits for a backend no longer than the look-up of a name does. */
const describeMs = 1000;

/** What each backend says about a name. */
export function createDescribe({ bus }: Pick<Parts, "bus">) {
  return async (username: string): Promise<readonly BackendDescription[]> => {
    const deadline = steadyClock.now() + describeMs;
    return (await bus.request(describeAccount, { username, protocol }, { deadline })).backends;
  };
}

/** What the services know about an account. */
export function createAccounts(
  config: Config,
  { bus, live, state, rememberedDevices, changes, judgeLostPhone }: Parts,
  locks: FactorLocks,
): ReportAccount {
  const sentKeys = config.identity.notices.enabled ? keyRingFromConfig(config, "sent-notice") : undefined;
  const { prefix: keyPrefix } = config.storage.redis;
  const context = () => ({ deadline: steadyClock.now() + live.current.decisionTimeoutMs });
  return createReportAccount({
    describe: (request) => bus.request(describeAccount, request, context()),
    readFactors: (target) => bus.request(mfaFactorsRead, target, context()),
    listAppPasswords: (target) => bus.request(mfaAppPasswordsList, target, context()),
    locks,
    devices: rememberedDevices,
    changes,
    judgeLostPhone,
    sent: sentKeys && createSentNotifications({ redis: state, keyPrefix, keys: sentKeys }),
  });
}
