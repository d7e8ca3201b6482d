import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import type { SignInMethod } from "../../login/complete-sign-in.ts";
import { isSupported, neededFactors } from "../../login/needed-factors.ts";
import { pendingUser } from "../../login/password-check.ts";
import type { NamedFactor } from "../../mfa/factor-proofs.ts";
import { readAssertion } from "../../mfa/webauthn/browser-answer.ts";
import { nameInHandle } from "../../mfa/webauthn/user-handle.ts";
import { callContext, type Visit } from "../visit.ts";
import { attemptOrigin } from "./attempt-origin.ts";
import type { LoginDeps } from "./deps.ts";

interface Proved {
  readonly pending: PendingSignIn;
  readonly method: SignInMethod;
  readonly factor: NamedFactor;
}

interface Unproved {
  readonly failed: "denied" | "throttled";
  readonly reason: string;
  readonly rule?: string | undefined;
  readonly account?: string | undefined;
}

export type Proof = Proved | Unproved;

export const denied = (reason: string, account?: string): Unproved => ({ failed: "denied", reason, account });

function remembers(body: unknown): boolean {
  return typeof body === "object" && body !== null && "remember_me" in body && body.remember_me === true;
}

/** Only a rejected attempt counts for its client address. */
export async function passkey(deps: LoginDeps, visit: Visit, flow: FlowRecord): Promise<Proof> {
  const { passkeyAttempts } = deps;
  const { request } = visit;
  if (!isSupported("webauthn", flow.client)) return denied("factor_not_accepted");
  const response = readAssertion(request.body);
  const name = nameInHandle(response?.response.userHandle);
  if (response === undefined || name === undefined) return denied("malformed_answer");
  const clientIp = request.caller?.clientIp ?? "";
  if (!(await passkeyAttempts.admit(clientIp))) return { failed: "throttled", reason: "too_many_attempts" };
  const proof = await judgePasskey(deps, visit, { flow, name, response }).catch(async (error: unknown) => {
    await passkeyAttempts.giveBack(clientIp).catch(() => undefined);
    throw error;
  });
  if (!("failed" in proof)) await passkeyAttempts.giveBack(clientIp);
  return proof;
}

interface ShownPasskey {
  readonly flow: FlowRecord;
  readonly name: string;
  readonly response: NonNullable<ReturnType<typeof readAssertion>>;
}

/**
 * The account is the one that holds the passkey, so that it may be renamed. A backend must still have it, and policies must admit it.
 * Without the id of its passkey, the work for an account is that for an unknown name (ADR 0059).
 */
async function judgePasskey(deps: LoginDeps, visit: Visit, { flow, name, response }: ShownPasskey): Promise<Proof> {
  const { ceremonies, factors, store, lookUp, nowMs, decisionTimeoutMs, rememberMs } = deps;
  const { request } = visit;
  const context = callContext(visit, decisionTimeoutMs());
  const proof = { owner: flow.id, kind: "passkey", response } as const;
  const holder = await store.holderOf(response.id, name, context);
  const known =
    holder === undefined ? undefined : await lookUp({ username: holder, ...attemptOrigin(deps, visit, flow) }, context);
  if (known?.outcome !== "ok") {
    await ceremonies.finishSignIn({ ...proof, account: undefined }, context);
    const { reason = "unknown_passkey", rule, account } = known ?? {};
    return { failed: "denied", reason, rule, account };
  }
  const { account } = known;
  if ((await ceremonies.finishSignIn({ ...proof, account }, context)) === undefined) {
    return denied("wrong_signature", account);
  }
  const pending: PendingSignIn = {
    ...pendingUser(known),
    remember: remembers(request.body) && rememberMs > 0,
    passwordTs: Math.floor(nowMs() / 1000),
    methods: ["webauthn"],
    missing: neededFactors(await factors.enrolled(account, context), flow.client).missing,
  };
  return { pending, method: "passkey", factor: { kind: "webauthn", part: response.id } };
}
