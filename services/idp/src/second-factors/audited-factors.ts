import type { Audit, AuditEvent } from "@postern/shared/domain/audit";
import type { EngineCall } from "../visit/engine-call.ts";
import type { FactorStore } from "./factor-store-nats.ts";
import type { Factors } from "./factors-nats.ts";

interface Change {
  readonly event: AuditEvent;
  readonly account: string;
  readonly context: EngineCall;
  readonly reason?: string;
}

/** Records the outcome of a user's change; `undecided` if it is unknown whether the change was made. */
function auditor(audit: Audit) {
  return async <Result>(
    { event, account, context: { session, clientIp }, reason }: Change,
    change: Promise<Result>,
    isDone: (result: Result) => boolean = (result) => result === "done",
  ): Promise<Result> => {
    const line = { event, actor: account, target: account, clientIp, session, reason };
    const result = await change.catch((error: unknown) => {
      audit.record({ ...line, outcome: "undecided" });
      throw error;
    });
    audit.record({ ...line, outcome: isDone(result) ? "ok" : "failed" });
    return result;
  };
}

/** Adds an audit record for each factor and app password that a user adds or removes. */
export function auditFactorStore(store: FactorStore, audit: Audit): FactorStore {
  const audited = auditor(audit);
  const add = { event: "second_factor.add" } as const;
  const remove = { event: "second_factor.remove" } as const;
  return {
    ...store,
    setTotp: (account, secret, context) =>
      audited({ ...add, account, context, reason: "totp" }, store.setTotp(account, secret, context)),
    deleteTotp: (account, context) =>
      audited({ ...remove, account, context, reason: "totp" }, store.deleteTotp(account, context)),
    addCredential: (account, text, context) =>
      audited({ ...add, account, context, reason: "webauthn" }, store.addCredential(account, text, context)),
    deleteCredential: (account, text, context) =>
      audited({ ...remove, account, context, reason: "webauthn" }, store.deleteCredential(account, text, context)),
    setRecoveryCodes: (account, codes, context) =>
      audited({ event: "recovery_codes.create", account, context }, store.setRecoveryCodes(account, codes, context)),
    deleteRecoveryCodes: (account, context) =>
      audited({ ...remove, account, context, reason: "recovery" }, store.deleteRecoveryCodes(account, context)),
    createAppPassword: (account, label, context) => {
      const change = store.createAppPassword(account, label, context);
      return audited(
        { event: "app_password.create", account, context },
        change,
        (result) => typeof result === "object",
      );
    },
    revokeAppPassword: (account, id, context) =>
      audited({ event: "app_password.delete", account, context }, store.revokeAppPassword(account, id, context)),
  };
}

/** Adds an audit record for each recovery code that is used. A wrong code is recorded as a failed sign-in. */
export function auditFactors(factors: Factors, audit: Audit): Factors {
  return {
    ...factors,
    redeemRecoveryCode: async (account, code, context) => {
      const isRight = await factors.redeemRecoveryCode(account, code, context);
      const { session, clientIp } = context;
      if (isRight) {
        const line = { actor: account, target: account, clientIp, session };
        audit.record({ event: "recovery_code.use", outcome: "ok", ...line });
      }
      return isRight;
    },
  };
}
