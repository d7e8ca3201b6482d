import type { Audit, AuditEvent } from "@postern/shared/domain/audit";
import type { EngineCall } from "../visit/engine-call.ts";
import type { FactorStore } from "./factor-store-nats.ts";
import type { Factors } from "./factors-nats.ts";

/** A change by a user; the last argument is the call. */
type Change<Args extends readonly unknown[], Result> = (
  account: string,
  ...rest: [...Args, context: EngineCall]
) => Promise<Result>;

/** Records the outcome of a user's change; `undecided` if it is unknown whether the change was made. */
function auditor(audit: Audit) {
  return <Args extends readonly unknown[], Result>(
    event: AuditEvent,
    change: Change<Args, Result>,
    reason?: string,
  ): Change<Args, Result> =>
    async (account, ...rest) => {
      const { session, clientIp } = Object(rest.at(-1));
      const line = { event, actor: account, target: account, clientIp, session, reason };
      const result = await change(account, ...rest).catch((error: unknown) => {
        audit.record({ ...line, outcome: "undecided" });
        throw error;
      });
      const isDone = result === "done" || typeof result === "object";
      audit.record({ ...line, outcome: isDone ? "ok" : "failed" });
      return result;
    };
}

/** Adds an audit record for each factor and app password that a user adds or removes. */
export function auditFactorStore(store: FactorStore, audit: Audit): FactorStore {
  const audited = auditor(audit);
  return {
    ...store,
    setTotp: audited("second_factor.add", store.setTotp, "totp"),
    deleteTotp: audited("second_factor.remove", store.deleteTotp, "totp"),
    addCredential: audited("second_factor.add", store.addCredential, "webauthn"),
    deleteCredential: audited("second_factor.remove", store.deleteCredential, "webauthn"),
    setRecoveryCodes: audited("recovery_codes.create", store.setRecoveryCodes),
    deleteRecoveryCodes: audited("second_factor.remove", store.deleteRecoveryCodes, "recovery"),
    createAppPassword: audited("app_password.create", store.createAppPassword),
    revokeAppPassword: audited("app_password.delete", store.revokeAppPassword),
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
