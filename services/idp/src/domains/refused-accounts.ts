import type { Suspensions } from "@postern/shared/domain/suspensions";
import type { AccountDomains } from "./account-domains.ts";

/**
 * Whether sessions and tokens of an account do not count at the moment: an operator has suspended it, or its domain is disabled.
 *
 * @throws AppError DIRECTORY_UNAVAILABLE if it cannot be decided; a promise rejects with it
 */
export type IsRefused = (account: string) => boolean | Promise<boolean>;

export function createIsRefused(
  suspensions: Pick<Suspensions, "find">,
  domains: Pick<AccountDomains, "isClosed">,
): IsRefused {
  return (account) => suspensions.find(account) !== undefined || domains.isClosed(account);
}
