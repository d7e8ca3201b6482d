import type { AuthDecision } from "@postern/shared/contracts";
import type { Attempt } from "../../decision/attempt.ts";
import { tokenMechanism } from "../../mail-tokens/mechanism.ts";
import type { MasterLoginAudit, MasterLoginFacts } from "../../master-user/master-users.ts";
import type { Step, StepContext, StepDeps } from "../step.ts";
import { lookUpAccount } from "./look-up-in-backends.ts";
import { verifyPassword } from "./verify-in-backends.ts";

async function verify(
  attempt: Attempt,
  { user }: MasterLoginFacts,
  { context, deps }: { readonly context: StepContext; readonly deps: StepDeps },
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
  masterLogin: MasterLoginFacts,
  { context, deps }: { readonly context: StepContext; readonly deps: StepDeps },
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
export const verifyMasterUser: Step = {
  name: "verify-master-user",
  run: (attempt, context, deps) =>
    attempt.masterLogin === undefined ? undefined : audited(attempt, attempt.masterLogin, { context, deps }),
};
