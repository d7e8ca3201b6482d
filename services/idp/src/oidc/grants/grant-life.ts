import type { Clock } from "@postern/shared/platform/time";
import { errors, Provider } from "oidc-provider";
import type { OidcAccounts } from "../accounts/accounts-redis.ts";
import { digestOfId } from "../storage/models.ts";
import type { RecordTimes } from "../storage/record-times.ts";
import type { OidcStore } from "../storage/store-redis.ts";

/**
 * Extends a grant and its account so that they outlive a token of this lifetime, which is about to be issued: a chain of
 * refreshes lives as long as it is used. Rejects with `invalid_grant` if the grant was revoked in the meantime.
 */
export type KeepGrant = (grantId: string, lifeSeconds: number) => Promise<void>;

export function createKeepGrant(store: OidcStore, accounts: OidcAccounts, clock: Clock, times: RecordTimes): KeepGrant {
  return async (grantId, lifeSeconds) => {
    const until = Math.floor(clock.now() / 1000) + Math.ceil(lifeSeconds);
    const read = Provider.ctx?.oidc?.entities.Grant;
    if (read?.jti === grantId && times.sharedSeconds(read.exp ?? 0) >= until) return;
    const grant = await store.prolong({ model: "Grant", digest: digestOfId(grantId) }, until);
    if (grant === undefined) throw new errors.InvalidGrant("the grant was revoked");
    if (grant.accountId !== undefined) await accounts.keep(grant.accountId);
  };
}
