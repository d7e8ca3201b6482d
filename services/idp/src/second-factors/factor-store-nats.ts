import {
  type AppPassword,
  mfaAppPasswordCreate,
  mfaAppPasswordRevoke,
  mfaAppPasswordsList,
  mfaFactorsRead,
  mfaRecoveryCodeRedeem,
  mfaRecoveryCodesDelete,
  mfaRecoveryCodesSet,
  mfaTotpDelete,
  mfaTotpSet,
  mfaWebauthnDelete,
  mfaWebauthnSave,
  mfaWebauthnUpdate,
} from "@postern/shared/contracts";
import type { Audit, AuditEvent } from "@postern/shared/domain/audit";
import { readCredential } from "@postern/shared/domain/passkeys";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError } from "@postern/shared/platform/errors";
import type { EngineCall } from "../visit/visit.ts";
import type { EnrolledFactors } from "./needed-factors.ts";
import type { RemovedPasskeys } from "./passkeys-redis.ts";

/** The factors of an account, without secrets. */
export interface FactorState {
  readonly account: string;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  /** The stored texts, unchanged. */
  readonly webauthnCredentials: readonly string[];
  readonly appPasswords: number;
}

/** `refused`: the backend does not store this kind of factor, or accepts no more. */
export type Change = "done" | "refused";

const target = (account: string, { session }: EngineCall) => ({ session, username: account });

/** The account no longer exists, or the reply is unexpected: a temporary failure. */
function changeOf({ outcome }: { readonly outcome: string }): Change {
  if (outcome === "ok" || outcome === "absent") return "done";
  if (outcome === "unsupported" || outcome === "invalid") return "refused";
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `second factors could not be changed: ${outcome}` });
}

function undecided(outcome: string): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail: `second factors could not be read: ${outcome}` });
}

const none: EnrolledFactors = Object.freeze({ hasTotp: false, recoveryCodesLeft: 0, webauthnCredentials: 0 });

function enrolledOf({ hasTotp, recoveryCodesLeft, webauthnCredentials }: FactorState): EnrolledFactors {
  return { hasTotp, recoveryCodesLeft, webauthnCredentials: webauthnCredentials.length };
}

interface FactorStoreDeps {
  readonly bus: Bus;
  readonly removedPasskeys: RemovedPasskeys;
  /** What was remembered with a factor ends before the factor does. Undefined without the secret that encrypts it. */
  readonly devices: Pick<RememberedDevices, "forgetAll"> | undefined;
  readonly audit: Audit;
}

/**
 * Second factors and app passwords, stored in the backends through an engine. Every method throws AppError on a temporary
 * failure. What users add, remove or use up is recorded in the audit log; a wrong code is recorded as a failed sign-in.
 */
export class FactorStore {
  readonly #deps: FactorStoreDeps;

  constructor(deps: FactorStoreDeps) {
    this.#deps = deps;
  }

  /** Undefined if the account's backend does not store factors. */
  read(account: string, context: EngineCall): Promise<FactorState | undefined> {
    return this.#find(account, context);
  }

  /**
   * The account that holds a passkey, whatever its name; undefined if none does.
   * @param name the name under which it is searched for first
   */
  async holderOf(credentialId: string, name: string, context: EngineCall): Promise<string | undefined> {
    return (await this.#find(name, context, { credentialId }))?.account;
  }

  /** Finds an account by the typed name, and takes as long for an unknown one; undefined if no backend has it, or its backend does not store factors. */
  async find(
    username: string,
    context: EngineCall,
  ): Promise<(EnrolledFactors & { readonly account: string }) | undefined> {
    const found = await this.#find(username, context, { hidesUnknown: true });
    return found && { account: found.account, ...enrolledOf(found) };
  }

  async enrolled(account: string, context: EngineCall): Promise<EnrolledFactors> {
    const found = await this.#find(account, context);
    return found === undefined ? none : enrolledOf(found);
  }

  /** Base32 or an otpauth URL; undefined if there is none. */
  async totpSecret(account: string, context: EngineCall): Promise<string | undefined> {
    return (await this.#find(account, context, { secrets: true }))?.totpSecret;
  }

  async setTotp(account: string, secret: string, context: EngineCall): Promise<Change> {
    await this.#deps.devices?.forgetAll(account);
    const reply = this.#deps.bus.request(mfaTotpSet, { ...target(account, context), secret }, context);
    return this.#recorded(account, context, ["second_factor.add", "totp"], reply.then(changeOf));
  }

  async deleteTotp(account: string, context: EngineCall): Promise<Change> {
    await this.#deps.devices?.forgetAll(account);
    const reply = this.#deps.bus.request(mfaTotpDelete, target(account, context), context);
    return this.#recorded(account, context, ["second_factor.remove", "totp"], reply.then(changeOf));
  }

  /** `exists`: the credential is already stored. */
  async addCredential(account: string, credential: string, context: EngineCall): Promise<Change | "exists"> {
    const reply = this.#deps.bus.request(mfaWebauthnSave, { ...target(account, context), credential }, context);
    const change = reply.then((saved) => (saved.outcome === "exists" ? "exists" : changeOf(saved)));
    return this.#recorded(account, context, ["second_factor.add", "webauthn"], change);
  }

  /** `conflict`: `old` is no longer stored. */
  async replaceCredential(
    account: string,
    { old, next }: { readonly old: string; readonly next: string },
    context: EngineCall,
  ): Promise<Change | "conflict"> {
    const request = { ...target(account, context), credential: next, oldCredential: old };
    const reply = await this.#deps.bus.request(mfaWebauthnUpdate, request, context);
    return reply.outcome === "conflict" ? "conflict" : changeOf(reply);
  }

  async deleteCredential(account: string, text: string, context: EngineCall): Promise<Change> {
    return this.#recorded(account, context, ["second_factor.remove", "webauthn"], this.#drop(account, text, context));
  }

  async setRecoveryCodes(account: string, codes: readonly string[], context: EngineCall): Promise<Change> {
    const request = { ...target(account, context), codes: [...codes] };
    const reply = this.#deps.bus.request(mfaRecoveryCodesSet, request, context);
    return this.#recorded(account, context, ["recovery_codes.create"], reply.then(changeOf));
  }

  async deleteRecoveryCodes(account: string, context: EngineCall): Promise<Change> {
    const reply = this.#deps.bus.request(mfaRecoveryCodesDelete, target(account, context), context);
    return this.#recorded(account, context, ["second_factor.remove", "recovery"], reply.then(changeOf));
  }

  /** Uses up a recovery code. @returns whether the code was valid */
  async redeemRecoveryCode(account: string, code: string, context: EngineCall): Promise<boolean> {
    const { session, clientIp } = context;
    const { outcome } = await this.#deps.bus.request(
      mfaRecoveryCodeRedeem,
      { ...target(account, context), code },
      context,
    );
    if (outcome === "rejected" || outcome === "invalid") return false;
    if (outcome !== "ok") throw undecided(outcome);
    this.#deps.audit.record({
      event: "recovery_code.use",
      outcome: "ok",
      actor: account,
      target: account,
      clientIp,
      session,
    });
    return true;
  }

  async appPasswords(account: string, context: EngineCall): Promise<readonly AppPassword[]> {
    const reply = await this.#deps.bus.request(mfaAppPasswordsList, target(account, context), context);
    if (reply.outcome === "ok") return reply.appPasswords;
    changeOf(reply);
    return [];
  }

  /** `full`: the account has reached its maximum. Undefined: refused. */
  async createAppPassword(account: string, label: string, context: EngineCall) {
    const request = { ...target(account, context), label, protocols: [] };
    const created = this.#deps.bus.request(mfaAppPasswordCreate, request, context).then((reply) => {
      if (reply.outcome === "full") return "full" as const;
      if (reply.outcome === "ok") return { password: reply.password, label: reply.appPassword.label };
      changeOf(reply);
      return undefined;
    });
    return this.#recorded(account, context, ["app_password.create"], created);
  }

  async revokeAppPassword(account: string, id: string, context: EngineCall): Promise<Change> {
    const reply = this.#deps.bus.request(mfaAppPasswordRevoke, { ...target(account, context), id }, context);
    return this.#recorded(account, context, ["app_password.delete"], reply.then(changeOf));
  }

  /** `hidesUnknown`: an unknown name takes as long as an account, and is no failure. */
  async #find(
    account: string,
    context: EngineCall,
    how: { readonly secrets?: true; readonly hidesUnknown?: true; readonly credentialId?: string } = {},
  ) {
    const reply = await this.#deps.bus.request(mfaFactorsRead, { ...target(account, context), ...how }, context);
    const mayBeUnknown = how.hidesUnknown === true || how.credentialId !== undefined;
    // A backend that does not store factors has none of its users'.
    if (reply.outcome === "unsupported" || (mayBeUnknown && reply.outcome === "unknown_user")) return undefined;
    if (reply.outcome !== "ok") throw undecided(reply.outcome);
    return reply;
  }

  /** Removes a passkey, and notes it for password managers. */
  async #drop(account: string, credential: string, context: EngineCall): Promise<Change> {
    await this.#deps.devices?.forgetAll(account);
    const reply = await this.#deps.bus.request(mfaWebauthnDelete, { ...target(account, context), credential }, context);
    const change = changeOf(reply);
    const removed = readCredential(credential);
    if (change === "done" && removed !== undefined) await this.#deps.removedPasskeys.note(removed.id);
    return change;
  }

  /** Records the outcome of a user's change; `undecided` if it is unknown whether the change was made. */
  async #recorded<Result>(
    account: string,
    { session, clientIp }: EngineCall,
    [event, reason]: readonly [AuditEvent, reason?: string],
    change: Promise<Result>,
  ): Promise<Result> {
    const line = { event, actor: account, target: account, clientIp, session, reason };
    const result = await change.catch((error: unknown) => {
      this.#deps.audit.record({ ...line, outcome: "undecided" });
      throw error;
    });
    const isDone = result === "done" || typeof result === "object";
    this.#deps.audit.record({ ...line, outcome: isDone ? "ok" : "failed" });
    return result;
  }
}
