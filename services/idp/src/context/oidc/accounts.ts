import { createSubjectsOfAccount, type SubjectsOfAccount } from "../../oidc/accounts/account-subjects.ts";
import { createOidcAccounts, type OidcAccounts } from "../../oidc/accounts/accounts-redis.ts";
import type { OidcSettings } from "../../oidc/settings/oidc-settings.ts";
import type { OidcParts } from "./parts.ts";

export interface AccountsFeature {
  readonly accounts: OidcAccounts;
  readonly subjectsOfAccount: SubjectsOfAccount;
}

/** One day more than the longest refresh token: an account outlives its tokens. */
function longestLifeSeconds({ oidc }: OidcSettings): number {
  const lives = oidc.clients.map(({ refresh_token_lifetime: life }) => life);
  const { mail_registration: mail } = oidc;
  if (mail.enabled) lives.push(mail.refresh_token_lifetime);
  return Math.ceil(Math.max(oidc.tokens.default_refresh_token_lifetime, ...lives) / 1000) + 86_400;
}

/** Accounts that have signed in, and their subjects. */
export function createAccountsFeature({ redis, keyPrefix, keys, settings }: OidcParts): AccountsFeature {
  const accounts = createOidcAccounts(redis, keyPrefix, keys, () => longestLifeSeconds(settings()));
  return { accounts, subjectsOfAccount: createSubjectsOfAccount(accounts) };
}
