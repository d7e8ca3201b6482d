import { pathTo } from "@postern/shared/contracts";
import type { AuthenticationResponseJSON } from "@simplewebauthn/server";
import { csrfToken } from "../flow/browser-binding.ts";
import type { FlowRecord, PendingSignIn } from "../flow/flow-record.ts";
import { webauthnLoginPage } from "../pages/templates/webauthn.ts";
import type { NamedFactor } from "../second-factors/factor-proofs.ts";
import { isSupported } from "../second-factors/needed-factors.ts";
import { readAssertion } from "../second-factors/webauthn/browser-answer.ts";
import { nameInHandle } from "../second-factors/webauthn/user-handle.ts";
import { cancelIn, formTargets, hrefIn } from "../visit/flow-visit.ts";
import type { VisitHandler } from "../visit/page-routes.ts";
import { callContext, referenceIn, showPage, type Visit } from "../visit/visit.ts";
import type { SignInMethod } from "./complete-sign-in.ts";
import type { FlowHandler, SignInContext } from "./context.ts";
import { completeFor } from "./finish-sign-in.ts";
import { acceptsLostPhoneCode, factorsOf, forFactor, judgeFactor, placeAfterRefusal } from "./judge-factor.ts";
import { attemptOrigin } from "./post-login.ts";
import { reportSignIn, reportUndecided } from "./report.ts";

/** `GET /login/webauthn` */
export function getWebauthn(deps: SignInContext): VisitHandler {
  const { pages } = deps;
  return forFactor(
    deps,
    ({ methods }) => methods.includes("webauthn"),
    async (visit, { flow, pending, browserToken }) => {
      const view = {
        begin: hrefIn(pathTo("beginWebauthnSignIn"), visit, flow),
        finish: pathTo("finishWebauthnSignIn"),
        csrfToken: csrfToken(flow.id, browserToken),
        offersToRemember: deps.deviceMemory.isOffered(flow) && pending.rememberable !== undefined,
        other:
          pending.methods.length > 1 || acceptsLostPhoneCode(deps, pending)
            ? hrefIn(pathTo("mfaPage"), visit, flow)
            : undefined,
        restart: hrefIn(pathTo("restartLogin"), visit, flow),
        cancel: cancelIn(visit, flow, browserToken),
      };
      return showPage(pages, visit, { page: webauthnLoginPage, view, flow, formTargets: formTargets(flow) });
    },
  );
}

/**
 * `GET /login/webauthn/begin`: for the account whose password was correct, or for any passkey before a name is entered.
 */
export const beginWebauthn: FlowHandler = async (deps, visit, { flow }) => {
  const { ceremonies, store, decisionTimeoutMs } = deps;
  const context = callContext(visit, decisionTimeoutMs());
  const state = flow.pending === undefined ? undefined : await store.read(flow.pending.account, context);
  const publicKey = await ceremonies.beginSignIn(flow.id, state?.webauthnCredentials);
  return visit.reply.header("cache-control", "no-store").send({ publicKey });
};

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

type Proof = Proved | Unproved;

const denied = (reason: string, account?: string): Unproved => ({ failed: "denied", reason, account });

function remembers(body: unknown, name: "remember_me" | "remember_device" = "remember_me"): boolean {
  return typeof body === "object" && body !== null && Reflect.get(body, name) === true;
}

/** A passkey may be tried without a name, so attempts are counted by client address; only rejected ones stay counted. */
async function passkey(deps: SignInContext, visit: Visit, flow: FlowRecord): Promise<Proof> {
  const { passkeyAttempts } = deps;
  const { request } = visit;
  if (!isSupported("webauthn", flow.client)) return denied("factor_not_accepted");
  const response = readAssertion(request.body);
  const name = nameInHandle(response?.response.userHandle);
  if (response === undefined || name === undefined) return denied("malformed_answer");
  const clientIp = request.caller?.clientIp ?? "";
  if (!(await passkeyAttempts.admit(clientIp))) return { failed: "throttled", reason: "too_many_attempts" };
  const proof = await judgePasskey(deps, visit, flow, { name, response }).catch(async (error: unknown) => {
    await passkeyAttempts.giveBack(clientIp).catch(() => undefined);
    throw error;
  });
  if (!("failed" in proof)) await passkeyAttempts.giveBack(clientIp);
  return proof;
}

/**
 * The account is the one that holds the passkey, so that it may be renamed. A backend must still have it, and policies must admit it.
 * Without the id of its passkey, the work for an account is that for an unknown name (ADR 0059).
 */
async function judgePasskey(
  deps: SignInContext,
  visit: Visit,
  flow: FlowRecord,
  { name, response }: { readonly name: string; readonly response: AuthenticationResponseJSON },
): Promise<Proof> {
  const { ceremonies, store, lookUp, suspensions, domains, nowMs, decisionTimeoutMs, rememberMs } = deps;
  const { request } = visit;
  const context = callContext(visit, decisionTimeoutMs());
  const proof = { owner: flow.id, kind: "passkey", response } as const;
  // A random handle belongs to no domain, and the application may be for one only.
  const sought = (await domains.place(name, flow.client?.domains)) || name;
  const holder = await store.holderOf(response.id, sought, context);
  const known =
    holder === undefined ? undefined : await lookUp({ username: holder, ...attemptOrigin(deps, visit, flow) }, context);
  if (known?.outcome !== "ok") {
    await ceremonies.finishSignIn({ ...proof, account: undefined }, context);
    const { reason = "unknown_passkey", rule, account } = known ?? {};
    return { failed: "denied", reason, rule, account };
  }
  const { account } = known;
  if (!(await ceremonies.finishSignIn({ ...proof, account }, context))) {
    return denied("wrong_signature", account);
  }
  if (suspensions.find(account) !== undefined) return denied("account_suspended", account);
  const pending: PendingSignIn = {
    ...known.user,
    remember: remembers(request.body) && rememberMs > 0,
    passwordTs: Math.floor(nowMs() / 1000),
    methods: ["webauthn"],
    missing: (await factorsOf(deps, flow, account, await store.enrolled(account, context))).needed.missing,
  };
  return { pending, method: "passkey", factor: { kind: "webauthn", part: response.id } };
}

async function secondFactor(
  deps: SignInContext,
  visit: Visit,
  flow: FlowRecord,
  pending: PendingSignIn,
): Promise<Proof> {
  const { ceremonies, decisionTimeoutMs } = deps;
  const response = readAssertion(visit.request.body);
  const { account } = pending;
  if (response === undefined) return denied("malformed_answer", account);
  if (!pending.methods.includes("webauthn")) return denied("factor_not_accepted", account);
  const context = callContext(visit, decisionTimeoutMs());
  const proof = { owner: flow.id, kind: "webauthn_login", account, response } as const;
  const shown = { flow, pending, method: "webauthn", wrong: "wrong_signature" } as const;
  const factor = { kind: "webauthn", part: response.id } as const;
  const verify = async () => ((await ceremonies.finishSignIn(proof, context)) ? factor : undefined);
  const outcome = await judgeFactor(deps, visit, shown, verify);
  if (outcome.judged === "ok") return { pending, method: "webauthn", factor };
  if (outcome.judged === "denied") return denied(outcome.reason, account);
  return { failed: "throttled", reason: outcome.reason, account };
}

/**
 * The browser may drop a passkey that its user has removed. Of a passkey that is not known for another reason nothing is
 * said: a backend may not have it yet, and the answer would reveal which accounts exist.
 */
async function dropped({ removedPasskeys }: SignInContext, { request }: Visit): Promise<object> {
  const id = readAssertion(request.body)?.id;
  return id !== undefined && (await removedPasskeys.has(id)) ? { unknown_credential: true } : {};
}

/** `POST /login/webauthn/finish`: JSON from the page's script; 200 or 401 `{redirect}`, or 400 `{error}`. */
export const finishWebauthn: FlowHandler = async (deps, visit, { flow }) => {
  const { metrics } = deps;
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
    return place === undefined ? reply.code(400).send({ error: "expired" }) : reply.code(401).send({ redirect: place });
  }
  const isToRemember = proof.method === "webauthn" && remembers(visit.request.body, "remember_device");
  const redirect = await completeFor(deps, visit, { flow, ...proof, isToRemember });
  return redirect === undefined ? reply.code(400).send({ error: "expired" }) : reply.send({ redirect });
};
