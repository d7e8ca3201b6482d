import type { AuthDecision, DenialReason } from "@postern/shared/contracts";
import type { Directory } from "../../directories/directory.ts";
import { appPasswordDigest } from "../../mfa-artefacts/app-password.ts";
import type { AppPasswordOutcome } from "../../mfa-artefacts/app-password-uses.ts";
import { matchAppPassword } from "../../mfa-artefacts/app-passwords.ts";
import type { MfaAccount, StoredAppPassword } from "../../mfa-artefacts/mfa-artefacts.ts";
import type { Attempt } from "../attempt.ts";
import type { Step, StepContext, StepDeps } from "../step.ts";
import { askDirectories } from "./ask-directories.ts";
import { directoryQuery, okDecision } from "./directory-query.ts";
import { noteAccount } from "./note-account.ts";

type Found =
  | { readonly kind: "ok"; readonly account: MfaAccount; readonly appPassword: StoredAppPassword }
  | { readonly kind: "wrong_password" }
  | { readonly kind: "account_disabled" }
  | { readonly kind: "unknown_user" }
  | { readonly kind: "not_served" };

async function askDirectory(
  { mfa }: Directory,
  { username, protocol }: Attempt,
  digest: string,
  context: StepContext,
): Promise<Found> {
  // Its users have no app passwords, so that to them this one is as wrong as any.
  if (mfa === undefined) return { kind: "unknown_user" };
  const found = await mfa.find({ username, protocol }, context);
  if (found.kind !== "ok") return found;
  const appPassword = await matchAppPassword(found.account, { digest, protocol }, context);
  if (appPassword === undefined) return { kind: "wrong_password" };
  // Only whoever knows the password learns that the account is off.
  return found.isDisabled ? { kind: "account_disabled" } : { kind: "ok", account: found.account, appPassword };
}

const denial = (reason: DenialReason): AuthDecision => ({ outcome: "fail", reason, memoryCache: "miss" });

function outcomeOf(decision: AuthDecision): AppPasswordOutcome {
  if (decision.outcome === "ok") return "ok";
  return decision.outcome === "fail" && decision.reason === "account_disabled" ? "disabled" : "wrong";
}

async function verify(
  attempt: Attempt,
  digest: string,
  context: StepContext,
  { directories, appPasswordUses }: StepDeps,
): Promise<AuthDecision> {
  context.facts.credential = "app_password";
  const { found, unavailable } = await askDirectories(directories, (directory) =>
    askDirectory(directory, attempt, digest, context),
  );
  if (found?.outcome.kind === "ok") {
    const { account, appPassword } = found.outcome;
    const released = await found.directory.lookup(directoryQuery(attempt), context);
    if (released.kind !== "ok") return denial("account_disabled");
    noteAccount(found.directory, released.account.groups, attempt, context);
    appPasswordUses?.note(account, appPassword);
    return okDecision(found.directory, released.account);
  }
  if (unavailable !== undefined) throw unavailable;
  context.facts.accountKnown = found !== undefined;
  return denial(found?.outcome.kind ?? "unknown_user");
}

async function counted(deciding: Promise<AuthDecision>, { appPasswordChecked }: StepDeps): Promise<AuthDecision> {
  try {
    const decision = await deciding;
    appPasswordChecked?.(outcomeOf(decision));
    return decision;
  } catch (error) {
    appPasswordChecked?.("unavailable");
    throw error;
  }
}

/**
 * Logins by app password, told by the form of the password. This step decides them all: an app password never reaches
 * a directory as a password. As with passwords, a denial stands only when every directory before it could be asked.
 */
export const verifyAppPassword: Step = {
  name: "verify-app-password",
  run: (attempt, context, deps) => {
    if (attempt.operation !== "authenticate" || attempt.password === undefined) return undefined;
    const digest = appPasswordDigest(attempt.password.reveal());
    return digest === undefined ? undefined : counted(verify(attempt, digest, context, deps), deps);
  },
};
