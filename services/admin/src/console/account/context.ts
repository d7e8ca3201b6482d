import { keyRingFromConfig } from "@postern/shared/assembly";
import {
  type BackendDescription,
  describeAccount,
  mfaAppPasswordsList,
  mfaFactorsRead,
} from "@postern/shared/contracts";
import { createSentNotifications } from "@postern/shared/domain/history";
import type { Config } from "@postern/shared/platform/config";
import { steadyClock } from "@postern/shared/platform/time";
import type { AdminParts } from "../../admin-parts.ts";
import type { AdminRecords } from "../../admin-records.ts";
import { type AccountReportDeps, createReportAccount } from "./account-report.ts";

/** Customers mostly call about mail programs, which use this protocol. */
const protocol = "imap";
/** The page waits for a backend no longer than the look-up of a name does. */
const describeMs = 1000;

/** What each backend says about a name. */
export function createDescribe({ bus }: Pick<AdminParts, "bus">) {
  return async (username: string): Promise<readonly BackendDescription[]> => {
    const deadline = steadyClock.now() + describeMs;
    return (await bus.request(describeAccount, { username, protocol }, { deadline })).backends;
  };
}

type Parts = AdminParts &
  Pick<AdminRecords, "changes"> &
  Pick<AccountReportDeps, "factorLocks" | "rememberedDevices" | "judgeLostPhone">;

/** What the services know about an account. */
export function createAccounts(config: Config, parts: Parts) {
  const { bus, live, state, keyPrefix } = parts;
  const sentKeys = config.identity.notices.enabled ? keyRingFromConfig(config, "sent-notice") : undefined;
  const context = () => ({ deadline: steadyClock.now() + live.current.decisionTimeoutMs });
  return createReportAccount({
    ...parts,
    describe: (request) => bus.request(describeAccount, request, context()),
    readFactors: (target) => bus.request(mfaFactorsRead, target, context()),
    listAppPasswords: (target) => bus.request(mfaAppPasswordsList, target, context()),
    sent: sentKeys && createSentNotifications({ redis: state, keyPrefix, keys: sentKeys }),
  });
}
