import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import type { SignInMethod } from "../../login/complete-sign-in.ts";
import { isSupported, neededFactors } from "../../login/needed-factors.ts";
import { pendingUser } from "../../login/password-check.ts";
import type { NamedFactor } from "../../mfa/factor-proofs.ts";
import { accountOfHandle, readAssertion } from "../../mfa/webauthn/browser-answer.ts";
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

/**
 * Time from the arrival of a passkey to the answer that rejects it. Backends read more for an account than for an unknown name, and the
 * difference would reveal which user handles exist.
 */
const rejectedAfterMs = 250;

/** Only a rejected attempt counts for its client address. */
export async function passkey(deps: LoginDeps, visit: Visit, flow: FlowRecord): Promise<Proof> {
  const { passkeyAttempts, waitUntil, decisionTimeoutMs } = deps;
  const { request } = visit;
  if (!isSupported("webauthn", flow.client)) return denied("factor_not_accepted");
  const response = readAssertion(request.body);
  const account = accountOfHandle(response?.response.userHandle);
  if (response === undefined || account === undefined) return denied("malformed_answer");
  const clientIp = request.caller?.clientIp ?? "";
  if (!(await passkeyAttempts.admit(clientIp))) return { failed: "throttled", reason: "too_many_attempts" };
  const startedMs = performance.now();
  const proof = await judgePasskey(deps, visit, { flow, account, response }).catch(async (error: unknown) => {
    await passkeyAttempts.giveBack(clientIp).catch(() => undefined);
    throw error;
  });
  if ("failed" in proof) await waitUntil(startedMs + rejectedAfterMs, callContext(visit, decisionTimeoutMs()));
  else await passkeyAttempts.giveBack(clientIp);
  return proof;
}

interface NamedPasskey {
  readonly flow: FlowRecord;
  readonly account: string;
  readonly response: NonNullable<ReturnType<typeof readAssertion>>;
}

/** A passkey identifies its account. A backend must still have the account, and policies must admit it. */
async function judgePasskey(deps: LoginDeps, visit: Visit, { flow, account, response }: NamedPasskey): Promise<Proof> {
  const { ceremonies, factors, lookUp, nowMs, decisionTimeoutMs, rememberMs } = deps;
  const { request } = visit;
  const context = callContext(visit, decisionTimeoutMs());
  const known = await lookUp({ username: account, ...attemptOrigin(deps, visit, flow) }, context);
  if (known.outcome !== "ok") {
    // The same work as for a known account, as far as the backend permits.
    await ceremonies.finishSignIn({ owner: flow.id, kind: "passkey", account, response, isDenied: true }, context);
    return { failed: "denied", reason: known.reason, rule: known.rule, account: known.account };
  }
  const proof = { owner: flow.id, kind: "passkey", account: known.account, response } as const;
  if ((await ceremonies.finishSignIn(proof, context)) === undefined) return denied("wrong_signature", known.account);
  const pending: PendingSignIn = {
    ...pendingUser(known),
    remember: remembers(request.body) && rememberMs > 0,
    passwordTs: Math.floor(nowMs() / 1000),
    methods: ["webauthn"],
    missing: neededFactors(await factors.enrolled(known.account, context), flow.client).missing,
  };
  return { pending, method: "passkey", factor: { kind: "webauthn", part: response.id } };
}
