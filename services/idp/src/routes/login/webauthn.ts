import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply } from "fastify";
import { csrfToken } from "../../flow/browser-binding.ts";
import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import { factorStates } from "../../flow/flow-table.ts";
import type { SignInMethod } from "../../login/complete-sign-in.ts";
import { isSupported, neededFactors } from "../../login/needed-factors.ts";
import { pendingUser } from "../../login/password-check.ts";
import { accountOfHandle, readAssertion } from "../../mfa/webauthn/browser-answer.ts";
import { webauthnLoginPage } from "../../pages/templates/webauthn.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, callContext, hrefIn, lookOf, referenceIn, sendShown, type Visit } from "../visit.ts";
import { attemptPlace } from "./attempt-place.ts";
import type { LoginDeps } from "./deps.ts";
import { judgeFactor } from "./guarded.ts";
import { placeAfterRefusal } from "./latched.ts";
import { reportSignIn, reportUndecided } from "./report.ts";
import { completeFor } from "./signed-in.ts";
import { standingAt } from "./standing.ts";

/** `GET /login/webauthn` */
export function getWebauthn(deps: LoginDeps): VisitHandler {
  const { pages } = deps;
  return async (visit) => {
    const found = await standingAt(deps, visit, "webauthn");
    if (found === undefined) return visit.reply;
    const { flow, pending, browserToken } = found;
    const view = {
      begin: hrefIn(pathTo("beginWebauthnSignIn"), visit, flow),
      finish: pathTo("finishWebauthnSignIn"),
      csrfToken: csrfToken(flow.id, browserToken),
      other: pending.methods.length > 1 ? hrefIn(pathTo("mfaPage"), visit, flow) : undefined,
      restart: hrefIn(pathTo("restartLogin"), visit, flow),
    };
    return sendShown(visit.reply, pages.show(webauthnLoginPage, view, lookOf(pages, visit, flow)));
  };
}

/**
 * `GET /login/webauthn/begin`: for the account whose password was correct, or for any passkey before a name is entered.
 */
export function beginWebauthn(deps: LoginDeps): VisitHandler {
  const { ceremonies, store, nowMs, decisionTimeoutMs } = deps;
  return async (visit) => {
    const passage = await admit(deps, visit, ["login", ...factorStates]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const context = callContext(visit, nowMs() + decisionTimeoutMs());
    const state = flow.pending === undefined ? undefined : await store.read(flow.pending.account, context);
    const publicKey = await ceremonies.beginSignIn(flow.id, state?.webauthnCredentials);
    return visit.reply.header("cache-control", "no-store").send({ publicKey });
  };
}

interface Proved {
  readonly pending: PendingSignIn;
  readonly method: SignInMethod;
}

interface Unproved {
  readonly failed: "denied" | "throttled";
  readonly reason: string;
  readonly rule?: string | undefined;
  readonly account?: string | undefined;
}

type Proof = Proved | Unproved;

const denied = (reason: string, account?: string): Unproved => ({ failed: "denied", reason, account });

async function secondFactor(deps: LoginDeps, visit: Visit, flow: FlowRecord, pending: PendingSignIn): Promise<Proof> {
  const { ceremonies, nowMs, decisionTimeoutMs } = deps;
  const response = readAssertion(visit.request.body);
  const { account } = pending;
  if (response === undefined) return denied("malformed_answer", account);
  if (!pending.methods.includes("webauthn")) return denied("factor_not_accepted", account);
  const context = callContext(visit, nowMs() + decisionTimeoutMs());
  const proof = { owner: flow.id, kind: "webauthn_login", account, response } as const;
  const shown = { flow, pending, method: "webauthn", wrong: "wrong_signature" } as const;
  const verify = async (): Promise<boolean> => (await ceremonies.finishSignIn(proof, context)) !== undefined;
  const outcome = await judgeFactor(deps, visit, shown, verify);
  if (outcome.judged === "ok") return { pending, method: "webauthn" };
  if (outcome.judged === "denied") return denied(outcome.reason, account);
  return { failed: "throttled", reason: outcome.reason, account };
}

function remembers(body: unknown): boolean {
  return typeof body === "object" && body !== null && "remember_me" in body && body.remember_me === true;
}

/** Only a rejected attempt counts for its client address. */
async function passkey(deps: LoginDeps, visit: Visit, flow: FlowRecord): Promise<Proof> {
  const { passkeyAttempts } = deps;
  const { request } = visit;
  if (!isSupported("webauthn", flow.client)) return denied("factor_not_accepted");
  const response = readAssertion(request.body);
  const account = accountOfHandle(response?.response.userHandle);
  if (response === undefined || account === undefined) return denied("malformed_answer");
  const clientIp = request.caller?.clientIp ?? "";
  if (!(await passkeyAttempts.admit(clientIp))) return { failed: "throttled", reason: "too_many_attempts" };
  const proof = await judgePasskey(deps, visit, { flow, account, response }).catch(async (error: unknown) => {
    await passkeyAttempts.giveBack(clientIp).catch(() => undefined);
    throw error;
  });
  if (!("failed" in proof)) await passkeyAttempts.giveBack(clientIp);
  return proof;
}

interface NamedPasskey {
  readonly flow: FlowRecord;
  readonly account: string;
  readonly response: NonNullable<ReturnType<typeof readAssertion>>;
}

/** A passkey names its account. A backend must still have the account, and policies must admit it. */
async function judgePasskey(deps: LoginDeps, visit: Visit, { flow, account, response }: NamedPasskey): Promise<Proof> {
  const { ceremonies, factors, lookUp, nowMs, decisionTimeoutMs, rememberMs } = deps;
  const { request } = visit;
  const context = callContext(visit, nowMs() + decisionTimeoutMs());
  const known = await lookUp({ username: account, ...attemptPlace(visit, flow) }, context);
  if (known.outcome !== "ok") {
    // Takes as long as for a known account, because the time would otherwise reveal which user handles exist.
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
  return { pending, method: "passkey" };
}

/** `POST /login/webauthn/finish`: JSON from the page's script; 200 or 401 `{redirect}`, or 400 `{error}`. */
export function finishWebauthn(deps: LoginDeps): VisitHandler {
  const { metrics } = deps;
  return async (visit): Promise<FastifyReply> => {
    const passage = await admit(deps, visit, ["login", ...factorStates]);
    if (passage === undefined) return visit.reply;
    const { flow } = passage;
    const { pending } = flow;
    const step = pending === undefined ? "passkey" : "webauthn";
    const reply = visit.reply.header("cache-control", "no-store");
    const proof = await reportUndecided(deps, visit, { flow, step, account: pending?.account }, () =>
      pending === undefined ? passkey(deps, visit, flow) : secondFactor(deps, visit, flow, pending),
    );
    if ("failed" in proof) {
      const { failed: outcome, reason, rule, account } = proof;
      metrics.signIn(step, outcome);
      reportSignIn(deps, visit, flow, { step, outcome, reason, rule, account });
      return reply.code(400).send({ error: outcome, reference: referenceIn(visit) });
    }
    if (flow.state === "latched") {
      metrics.signIn(step, "denied");
      const place = await placeAfterRefusal(deps, visit, flow, "webauthn");
      return place === undefined
        ? reply.code(400).send({ error: "expired" })
        : reply.code(401).send({ redirect: place });
    }
    const redirect = await completeFor(deps, visit, { flow, ...proof });
    return redirect === undefined ? reply.code(400).send({ error: "expired" }) : reply.send({ redirect });
  };
}
