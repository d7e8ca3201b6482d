import type { AuthDecision, Dialect } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import { lookUpAccount } from "../backends/ask-backends.ts";
import { forEveryName } from "../backends/backends-by-name.ts";
import { type BackendDeps, verifyPassword } from "../backends/verify-in-backends.ts";
import type { BruteForceDep } from "../brute-force/brute-force-steps.ts";
import { type Attempt, type MasterLogin, tokenMechanism } from "../pipeline/attempt.ts";
import { type AccountFacts, denial, type Step, type StepContext } from "../pipeline/step.ts";
import type { LiveEngineSettings } from "../settings.ts";
import { denySuspended, type SuspensionsDep } from "../suspensions/refuse-suspended.ts";

/** Mail dialects only: tokens and browser sessions for another user are never issued this way. */
const dialects: ReadonlySet<Dialect> = new Set(["json", "cbor", "header", "basic", "proxy", "sasl", "grpc"]);

type MasterUserSettings = NonNullable<LiveEngineSettings["masterUser"]>;

export function createMasterUsers({ parse, users }: MasterUserSettings, audit: Audit) {
  const masters = new Set(users);
  return {
    /** Rewrites the attempt as the master user's if its login name contains a configured master user; otherwise returns it unchanged. */
    read: (attempt: Attempt): Attempt => {
      if (attempt.operation !== "authenticate" || !dialects.has(attempt.dialect)) return attempt;
      const login = parse(attempt.username);
      if (login === undefined || !masters.has(login.masterUser)) return attempt;
      const masterLogin = { user: login.user, submitted: attempt.username };
      return { ...attempt, username: login.masterUser, masterLogin };
    },
    audit,
  };
}

export type MasterUsers = ReturnType<typeof createMasterUsers>;

/** Absent while `auth.pipeline.master_user` is off. */
export interface MasterUserDeps extends BackendDeps, BruteForceDep, SuspensionsDep {
  readonly masterUsers: MasterUsers | undefined;
}

async function verify(
  attempt: Attempt,
  { user }: MasterLogin,
  context: StepContext,
  deps: MasterUserDeps,
): Promise<AuthDecision> {
  const { password, masterLogin: _login, ...rest } = attempt;
  if (password === undefined || tokenMechanism(attempt.method) !== undefined) {
    return denial("method_not_enabled");
  }
  // A master user without a domain is the site's: no customer's backend may say who that is.
  const isOfSite = !attempt.username.includes("@");
  const backends = isOfSite ? forEveryName(deps.backends.ofSite) : deps.backends;
  const master = await verifyPassword(attempt, password, context, { ...deps, backends });
  if (master.outcome !== "ok") return master;
  const suspension = deps.suspensions.find(master.account);
  if (suspension !== undefined)
    return denySuspended(suspension, attempt, { decision: master, facts: context.facts }, deps);
  return lookUpAccount({ ...rest, password: undefined, username: user }, context, deps.backends);
}

async function audited(
  attempt: Attempt,
  masterLogin: MasterLogin,
  context: StepContext,
  deps: MasterUserDeps,
): Promise<AuthDecision> {
  const { session, username: actor, clientIp, protocol } = attempt;
  const login = { event: "master_user.login", actor, target: masterLogin.user, session, clientIp, protocol } as const;
  const audit = (outcome: "ok" | "denied" | "undecided"): void => deps.masterUsers?.audit.record({ ...login, outcome });
  try {
    const decision = await verify(attempt, masterLogin, context, deps);
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
    attempt.masterLogin === undefined ? undefined : audited(attempt, attempt.masterLogin, context, deps),
};
