import {
  type ConsoleAction,
  type ConsoleActionId,
  consoleActions,
  type HelpdeskRule,
  mayAct,
} from "@postern/shared/contracts";
import type { Audit, AuditOutcome } from "@postern/shared/domain/audit";
import { AppError } from "@postern/shared/platform/errors";
import type { Operator } from "./operator.ts";
import type { ApiCall, AskApi } from "./operator-api.ts";
import { type FindRole, isAbove } from "./role-lookup.ts";

export interface Deed {
  readonly id: ConsoleActionId;
  /** Account or network. */
  readonly target: string;
  /** Identifier of the account's session, passkey or app password. Empty for other actions. */
  readonly item?: string;
  /** The operator's reason. */
  readonly note: string;
}

/**
 * `role`: the operator's role does not permit the action; `target`: the account's role is equal or higher, or it is disabled; `proof`: no recent sign-in with the
 * second factor; `failed`: the operation refused it.
 */
export type ActOutcome = "done" | "role" | "target" | "proof" | "failed";

/**
 * `onAnswer` gets what the operation answered if it is done.
 * @throws AppError if it cannot be decided whether the operator may do it, or whether it was done
 */
export type Act = (operator: Operator, deed: Deed, onAnswer?: (body: unknown) => void) => Promise<ActOutcome>;

export interface ActDeps {
  readonly findRole: FindRole;
  /** Whether a backend has an account of this name whose role cannot be read. @throws AppError UPSTREAM_UNAVAILABLE if one does not answer */
  readonly mayHaveRole: (name: string) => Promise<boolean>;
  readonly ask: AskApi;
  readonly audit: Audit;
  readonly helpdesk: () => HelpdeskRule;
}

/** How each action passes its target to the operation. */
const parameters: Readonly<Record<ConsoleActionId, (target: string, item: string) => Omit<ApiCall, "operation">>> = {
  unban: (target) => ({ body: { ip_address: target, rule_name: "*" } }),
  flush: (target) => ({ body: { user: target } }),
  unlock: (target) => ({ body: { username: target } }),
  "end-sessions": (target) => ({ path: { user_id: target } }),
  invite: (target) => ({ body: { username: target } }),
  "reset-totp": (target) => ({ body: { username: target } }),
  "reset-recovery": (target) => ({ body: { username: target } }),
  "end-session": (target, item) => ({ path: { user_id: target, token: item } }),
  "remove-passkey": (target, item) => ({ body: { username: target, id: item } }),
  "remove-app-password": (target, item) => ({ body: { username: target, id: item } }),
};

const outcomes: Readonly<Record<ActOutcome, AuditOutcome>> = {
  done: "ok",
  role: "denied",
  target: "denied",
  proof: "denied",
  failed: "failed",
};

export function createAct({ findRole, mayHaveRole, ask, audit, helpdesk }: ActDeps): Act {
  /** The account whose role was checked is the one that is changed, whatever name was typed. */
  const targetOf = async (operator: Operator, { id, target }: Deed): Promise<string | undefined> => {
    if (consoleActions[id].target === "network") return target;
    const { account, role, isUnknown } = await findRole(target, operator.session);
    if (account === operator.account || !isAbove(operator.role, role)) return undefined;
    return isUnknown === true && (await mayHaveRole(account)) ? undefined : account;
  };
  const carryOut: Act = async (operator, deed, onAnswer) => {
    const action: ConsoleAction = consoleActions[deed.id];
    if (!operator.isRoleCurrent)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the operator's role is unknown" });
    if (!mayAct(operator.role, deed.id, helpdesk())) return "role";
    if (action.needsProof === true && !operator.isProved) return "proof";
    const target = await targetOf(operator, deed);
    if (target === undefined) return "target";
    const { status, body } = await ask(operator, {
      ...parameters[deed.id](target, deed.item ?? ""),
      operation: action.operation,
    });
    if (status >= 500) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `${action.operation} returned ${status}` });
    if (status >= 300) return "failed";
    onAnswer?.(body);
    return "done";
  };
  return async (operator, deed, onAnswer) => {
    const { account: actor, clientIp, session } = operator;
    const write = (outcome: AuditOutcome): void =>
      audit.record({
        event: "console.action",
        outcome,
        actor,
        clientIp,
        session,
        target: deed.target,
        item: deed.item,
        reason: deed.id,
        note: deed.note,
      });
    const outcome = await carryOut(operator, deed, onAnswer).catch((error: unknown) => {
      write("undecided");
      throw error;
    });
    write(outcomes[outcome]);
    return outcome;
  };
}
