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
import type { FindReach, Reach } from "./reach.ts";

export interface Deed {
  readonly id: ConsoleActionId;
  /** Account or network. */
  readonly target: string;
  /** Identifier of the account's session, passkey or app password. Empty for other actions. */
  readonly item?: string;
  /** The operator's reason. */
  readonly note: string;
  /** Of a suspension: how long, and the text for the user. */
  readonly lasts?: string;
  readonly text?: string;
}

/**
 * `role`: the operator's role does not permit the action; `target`: the account's role is equal or higher, or cannot be read; `unknown`: no
 * backend has the account; `proof`: no recent sign-in with the second factor; `failed`: the operation refused it.
 */
export type ActOutcome = "done" | "role" | "target" | "unknown" | "proof" | "failed";

/** How each action passes its target to the operation. */
const parameters: Readonly<
  Record<ConsoleActionId, (target: string, item: string, deed: Deed) => Omit<ApiCall, "operation">>
> = {
  unban: (target) => ({ body: { ip_address: target, rule_name: "*" } }),
  flush: (target) => ({ body: { user: target } }),
  unlock: (target) => ({ body: { username: target } }),
  "end-sessions": (target) => ({ path: { user_id: target } }),
  "forget-devices": (target) => ({ body: { username: target } }),
  suspend: (target, _item, { lasts = "", text = "" }) => ({ body: { username: target, for: lasts, reason: text } }),
  resume: (target) => ({ body: { username: target } }),
  invite: (target) => ({ body: { username: target } }),
  "lost-phone": (target) => ({ body: { username: target } }),
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
  unknown: "denied",
  proof: "denied",
  failed: "failed",
};

const refusals: Readonly<Record<Reach["kind"], ActOutcome | undefined>> = {
  allowed: undefined,
  own: "target",
  higher: "target",
  unread: "target",
  unknown: "unknown",
};

export function createAct(findReach: FindReach, ask: AskApi, audit: Audit, helpdesk: () => HelpdeskRule) {
  const reachOf = async (operator: Operator, { id, target }: Deed): Promise<Reach> =>
    consoleActions[id].target === "network" ? { kind: "allowed", account: target } : findReach(operator, target);
  const refusalOf = (operator: Operator, id: ConsoleActionId): ActOutcome | undefined => {
    const { needsProof }: ConsoleAction = consoleActions[id];
    if (!mayAct(operator, id, helpdesk())) return "role";
    return needsProof === true && !operator.isProved ? "proof" : undefined;
  };
  const send = async (operator: Operator, deed: Deed, target: string) => {
    const { id, item = "" } = deed;
    const { operation } = consoleActions[id];
    const { status, body } = await ask(operator, { ...parameters[id](target, item, deed), operation });
    if (status >= 500) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `${operation} returned ${status}` });
    return { outcome: status < 300 ? ("done" as const) : ("failed" as const), body };
  };
  /**
   * `onAnswer` gets what the operation answered, done or refused.
   * @throws AppError if it cannot be decided whether the operator may do it, or whether it was done
   */
  return async (operator: Operator, deed: Deed, onAnswer?: (body: unknown) => void): Promise<ActOutcome> => {
    const { account: actor, domain: actorDomain, clientIp, session } = operator;
    const { id, item, note } = deed;
    let { target } = deed;
    const about = { event: "console.action", actor, actorDomain, clientIp, session, item, reason: id, note } as const;
    const write = (outcome: AuditOutcome): void => audit.record({ ...about, outcome, target });
    /** The account whose role was checked is the one that is changed and audited, whatever name was typed. */
    const carryOut = async (): Promise<ActOutcome> => {
      if (!operator.isRoleCurrent)
        throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the operator's role is unknown" });
      const refusal = refusalOf(operator, id);
      if (refusal !== undefined) return refusal;
      const { kind, account } = await reachOf(operator, deed);
      target = account;
      const unreachable = refusals[kind];
      if (unreachable !== undefined) return unreachable;
      const { outcome, body } = await send(operator, deed, account);
      onAnswer?.(body);
      return outcome;
    };
    try {
      const outcome = await carryOut();
      write(outcomes[outcome]);
      return outcome;
    } catch (error) {
      write("undecided");
      throw error;
    }
  };
}
