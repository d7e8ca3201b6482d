import type { AuthDecision } from "@postern/shared/contracts";
import { askBackends, type BackendSearch, backendQuery } from "../backends/ask-backends.ts";
import type { Backend } from "../backends/backend.ts";
import { forEveryName } from "../backends/backends-by-name.ts";
import { noteAccount, okDecision } from "../backends/found-account.ts";
import type { MfaAccount, StoredAppPassword } from "../backends/second-factor-store.ts";
import { type BackendDeps, verifyPassword } from "../backends/verify-in-backends.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import { type AccountFacts, denial, type Step, type StepContext } from "../pipeline/step.ts";
import { type AppPasswordOutcome, type AppPasswordUses, appPasswordDigest, matchAppPassword } from "./app-passwords.ts";

export interface AppPasswordDeps extends BackendDeps {
  readonly appPasswordUses: Pick<AppPasswordUses, "recordUse">;
  readonly appPasswordChecked: (outcome: AppPasswordOutcome) => void;
}

type Found =
  | { readonly kind: "ok"; readonly account: MfaAccount; readonly appPassword: StoredAppPassword }
  | { readonly kind: "wrong_password"; readonly account?: string }
  | { readonly kind: "account_disabled"; readonly account?: string }
  | { readonly kind: "unknown_user" }
  | { readonly kind: "not_served" };

async function askBackend(
  { mfa }: Backend,
  { username, protocol }: Attempt,
  digest: string,
  context: StepContext,
): Promise<Found> {
  // The users of this backend have no app passwords, so this one is wrong for them.
  if (mfa === undefined) return { kind: "unknown_user" };
  const found = await mfa.findAccount({ username, protocol }, context);
  if (found.kind !== "ok") return found;
  const appPassword = await matchAppPassword(found.account, { digest, protocol }, context);
  if (appPassword === undefined) return { kind: "wrong_password", account: found.account.account };
  // Only a caller that knows the password learns that the account is disabled.
  return found.isDisabled
    ? { kind: "account_disabled", account: found.account.account }
    : { kind: "ok", account: found.account, appPassword };
}

/** Without this, the time would reveal which backend knows the name, if any does. */
async function spendAsMuch(
  { found, unknownTo, left }: BackendSearch<Found>,
  { username, protocol }: Attempt,
  digest: string,
  { context, accountShares }: Pick<BackendDeps, "accountShares"> & { readonly context: StepContext },
): Promise<void> {
  for (const { mfa } of left) await mfa?.findAccount({ username, protocol }, context).catch(() => undefined);
  const [first, ...others] = unknownTo;
  if (found !== undefined || first === undefined) return;
  const { mfa } = accountShares.choose(username, [first, ...others]);
  const account = await mfa?.pretendAccount({ username, protocol }, context);
  if (account !== undefined) await matchAppPassword(account, { digest, protocol }, context).catch(() => undefined);
}

function outcomeOf(decision: AuthDecision): AppPasswordOutcome {
  if (decision.outcome === "ok") return "ok";
  return decision.outcome === "fail" && decision.reason === "account_disabled" ? "disabled" : "wrong";
}

async function verify(
  attempt: Attempt,
  digest: string,
  context: StepContext,
  deps: AppPasswordDeps,
): Promise<AuthDecision> {
  const { appPasswordUses } = deps;
  const backends = await deps.backends.of(attempt.username);
  context.facts.credential = "app_password";
  const search = await askBackends(backends, (backend) => askBackend(backend, attempt, digest, context));
  const { found, unavailable } = search;
  if (found?.outcome.kind === "ok") {
    const { account, appPassword } = found.outcome;
    const released = await found.backend.lookup(backendQuery(attempt), context);
    if (released.kind !== "ok") return denial("account_disabled");
    noteAccount(found.backend, released.account.groups, attempt, context);
    context.facts.credentialSince = appPassword.createdAt;
    appPasswordUses.recordUse(account, appPassword);
    return okDecision(found.backend, released.account, attempt);
  }
  if (unavailable !== undefined) throw unavailable;
  const remotes = found === undefined ? backends.filter(({ kind }) => kind === "remote") : [];
  // The server that created an app password verifies it.
  if (remotes.length > 0 && attempt.password !== undefined)
    return verifyPassword(attempt, attempt.password, context, {
      ...deps,
      backends: forEveryName(remotes),
    });
  await spendAsMuch(search, attempt, digest, { context, accountShares: deps.accountShares });
  context.facts.accountKnown = found !== undefined;
  if (found !== undefined && "account" in found.outcome) context.facts.guessedAccount = found.outcome.account;
  return denial(found?.outcome.kind ?? "unknown_user");
}

async function counted(
  deciding: Promise<AuthDecision>,
  { appPasswordChecked }: AppPasswordDeps,
): Promise<AuthDecision> {
  try {
    const decision = await deciding;
    appPasswordChecked(outcomeOf(decision));
    return decision;
  } catch (error) {
    appPasswordChecked("unavailable");
    throw error;
  }
}

/**
 * Decides every sign-in whose password has the form of an app password; such a password never reaches a backend as a
 * password, except another server, which verifies its own. As with other passwords, a denial stands only if every earlier backend answered.
 */
export const verifyAppPassword: Step<AccountFacts, AppPasswordDeps> = {
  name: "verify-app-password",
  run: (attempt, context, deps) => {
    if (attempt.operation !== "authenticate" || attempt.password === undefined) return undefined;
    const digest = appPasswordDigest(attempt.password.reveal());
    return digest === undefined ? undefined : counted(verify(attempt, digest, context, deps), deps);
  },
};
