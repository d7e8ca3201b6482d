import type { AuthDecision } from "@postern/shared/contracts";
import { tokenMechanism } from "../../mail-tokens/mechanism.ts";
import type { MasterLoginAudit, MasterLoginFacts } from "../../master-user/master-users.ts";
import type { Attempt } from "../attempt.ts";
import type { Step, StepContext, StepDeps } from "../step.ts";
import { lookUpAccount } from "./look-up-in-directories.ts";
import { verifyPassword } from "./verify-in-directories.ts";

async function verify(
  attempt: Attempt,
  { user }: MasterLoginFacts,
  { context, deps }: { readonly context: StepContext; readonly deps: StepDeps },
): Promise<AuthDecision> {
  const { password, masterLogin: _login, ...rest } = attempt;
  if (password === undefined || tokenMechanism(attempt.method) !== undefined) {
    return { outcome: "fail", reason: "method_not_enabled", memoryCache: "miss" };
  }
  const master = await verifyPassword(attempt, password, { context, directories: deps.directories });
  if (master.outcome !== "ok") return master;
  return lookUpAccount({ ...rest, password: undefined, username: user }, context, deps.directories);
}

/**
 * A login in another user's name: the master's password is verified, then the user is looked up without one. No
 * directory is asked about the user before. This step decides them all, and stands before the caches: what comes of it
 * is kept nowhere.
 */
export const verifyMasterUser: Step = {
  name: "verify-master-user",
  run: (attempt, context, deps) => {
    const { masterLogin, session, username: masterUser, clientIp, protocol } = attempt;
    if (masterLogin === undefined) return undefined;
    const audit = (outcome: MasterLoginAudit["outcome"]): void =>
      deps.masterUsers?.audit({ session, masterUser, user: masterLogin.user, clientIp, protocol, outcome });
    return verify(attempt, masterLogin, { context, deps }).then(
      (decision) => {
        audit(decision.outcome === "ok" ? "ok" : "denied");
        return decision;
      },
      (thrown: unknown) => {
        audit("undecided");
        throw thrown;
      },
    );
  },
};
