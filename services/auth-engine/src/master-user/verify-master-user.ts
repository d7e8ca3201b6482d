import type { AuthDecision } from "@postern/shared/contracts";
import { lookUpAccount } from "../backends/look-up-in-backends.ts";
import { type BackendDeps, verifyPassword } from "../backends/verify-in-backends.ts";
import { type Attempt, type MasterLogin, tokenMechanism } from "../pipeline/attempt.ts";
import type { AccountFacts } from "../pipeline/facts.ts";
import type { Step, StepContext } from "../pipeline/step.ts";
import type { MasterLoginAudit, MasterUsers } from "./master-users.ts";

/** Absent while `auth.pipeline.master_user` is off. */
interface MasterUserDeps extends BackendDeps {
  readonly masterUsers: MasterUsers | undefined;
}

async function verify(
  attempt: Attempt,
  { user }: MasterLogin,
  { context, deps }: { readonly context: StepContext; readonly deps: MasterUserDeps },
): Promise<AuthDecision> {
  const { password, masterLogin: _login, ...rest } = attempt;
  if (password === undefined || tokenMechanism(attempt.method) !== undefined) {
    return { outcome: "fail", reason: "method_not_enabled", memoryCache: "miss" };
  }
  const master = await verifyPassword(attempt, password, { context, deps });
  if (master.outcome !== "ok") return master;
  return lookUpAccount({ ...rest, password: undefined, username: user }, context, deps.backends);
}

async function audited(
  attempt: Attempt,
  masterLogin: MasterLogin,
  { context, deps }: { readonly context: StepContext; readonly deps: MasterUserDeps },
): Promise<AuthDecision> {
  const { session, username: masterUser, clientIp, protocol } = attempt;
  const audit = (outcome: MasterLoginAudit["outcome"]): void =>
    deps.masterUsers?.audit({ session, masterUser, user: masterLogin.user, clientIp, protocol, outcome });
  try {
    const decision = await verify(attempt, masterLogin, { context, deps });
    audit(decision.outcome === "ok" ? "ok" : "denied");
    return decision;
  } catch (thrown) {
    audit("undecided");
    throw thrown;
  }
}

/**
 * Decides every sign-in of a master user as another user: verifies the master's password, then looks the user up
 * without one. No backend is queried about the user before. The step runs before the caches, and its result is not
 * cached.
 */
export const verifyMasterUser: Step<AccountFacts, MasterUserDeps> = {
  name: "verify-master-user",
  run: (attempt, context, deps) =>
    attempt.masterLogin === undefined ? undefined : audited(attempt, attempt.masterLogin, { context, deps }),
};
