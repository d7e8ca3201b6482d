import type { FastifyReply } from "fastify";
import type { FlowRecord, PendingSignIn } from "../../flow/flow-record.ts";
import { factorStates } from "../../flow/flow-table.ts";
import { readAssertion } from "../../mfa/webauthn/browser-answer.ts";
import type { VisitHandler } from "../page-routes.ts";
import { admit, callContext, referenceIn, type Visit } from "../visit.ts";
import type { LoginDeps } from "./deps.ts";
import { judgeFactor } from "./guarded.ts";
import { placeAfterRefusal } from "./refuse-after-wrong-password.ts";
import { reportSignIn, reportUndecided } from "./report.ts";
import { completeFor } from "./signed-in.ts";
import { denied, type Proof, passkey } from "./verify-passkey.ts";

async function secondFactor(deps: LoginDeps, visit: Visit, flow: FlowRecord, pending: PendingSignIn): Promise<Proof> {
  const { ceremonies, decisionTimeoutMs } = deps;
  const response = readAssertion(visit.request.body);
  const { account } = pending;
  if (response === undefined) return denied("malformed_answer", account);
  if (!pending.methods.includes("webauthn")) return denied("factor_not_accepted", account);
  const context = callContext(visit, decisionTimeoutMs());
  const proof = { owner: flow.id, kind: "webauthn_login", account, response } as const;
  const shown = { flow, pending, method: "webauthn", wrong: "wrong_signature" } as const;
  const factor = { kind: "webauthn", part: response.id } as const;
  const verify = async () => ((await ceremonies.finishSignIn(proof, context)) === undefined ? undefined : factor);
  const outcome = await judgeFactor(deps, visit, shown, verify);
  if (outcome.judged === "ok") return { pending, method: "webauthn", factor };
  if (outcome.judged === "denied") return denied(outcome.reason, account);
  return { failed: "throttled", reason: outcome.reason, account };
}

/**
 * The browser may drop a passkey that its user has removed. Of a passkey that is not known for another reason nothing is
 * said: a backend may not have it yet, and the answer would reveal which accounts exist.
 */
async function dropped({ removedPasskeys }: LoginDeps, { request }: Visit): Promise<object> {
  const id = readAssertion(request.body)?.id;
  return id !== undefined && (await removedPasskeys.has(id)) ? { unknown_credential: true } : {};
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
      const more = outcome === "denied" ? await dropped(deps, visit) : {};
      return reply.code(400).send({ error: outcome, reference: referenceIn(visit), ...more });
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
