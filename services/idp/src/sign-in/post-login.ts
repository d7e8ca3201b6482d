import { maxUserNameLength, userNameFault } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import type { FastifyReply } from "fastify";
import { pageUrlOf } from "../flow/flow-paths.ts";
import type { FlowRecord, PendingSignIn } from "../flow/flow-record.ts";
import { waitingTime } from "../pages/moments.ts";
import type { neededFactors } from "../second-factors/needed-factors.ts";
import { cookieNames } from "../sessions/cookies.ts";
import {
  callContext,
  deviceDigest,
  type EngineCall,
  languageTagOf,
  lookOf,
  referenceIn,
  sendOn,
  sendProblem,
  type Visit,
} from "../visit/visit.ts";
import type { FlowHandler, SignInContext } from "./context.ts";
import { finishSignIn } from "./finish-sign-in.ts";
import { factorsOf } from "./judge-factor.ts";
import { showLogin } from "./login-page.ts";
import type { PasswordAccepted, PasswordAttempt, PasswordDenial, PasswordOutcome } from "./password-check.ts";
import { reportSignIn, reportUndecided } from "./report.ts";

/** White space, with TAB and line ends, and characters without a width: joiners, marks of direction, the byte order mark. */
const unseenEdges = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;

/** Room for what autofill adds; more would take the pattern too long. */
const maxTypedLength = 2 * maxUserNameLength;

/**
 * The user name that a person typed: password managers and clipboards add characters at its edges that are not visible. Within the name they
 * stay, and decide whether an account can have it. Empty, and therefore denied, if none can. API callers send names as they are.
 */
export function typedUserName(text: string): string {
  if (text.length > maxTypedLength) return "";
  const name = text.replace(unseenEdges, "");
  return userNameFault(name) === undefined ? name : "";
}

/** Client and application of a flow, for its requests to the engine. */
export function attemptOrigin(
  { pages }: Pick<SignInContext, "pages">,
  visit: Visit,
  flow: FlowRecord,
): Omit<PasswordAttempt, "username" | "password"> {
  const { request } = visit;
  const { "user-agent": userAgent, "accept-language": accepted } = request.headers;
  // Messages of policies appear on the page: in its language, if they exist in it.
  const tag = languageTagOf(pages, visit, flow);
  return {
    kind: flow.kind,
    clientId: flow.client?.id,
    clientIp: request.caller?.clientIp ?? "",
    userAgent,
    acceptLanguage: accepted === undefined ? tag : `${tag}, ${accepted}`,
    device: deviceDigest(pages, visit),
    hidesOutcome: flow.client?.delayedResponse === true,
  };
}

/** No `BackendKind`: the password was refused, so no backend has decided. */
const noBackend = 0;

const maxPasswordLength = 4096;

interface Credentials {
  /** As its domain spells it. */
  readonly username: string;
  /** As it was typed. */
  readonly typed: string;
  readonly password: Secret;
  readonly remember: boolean;
}

function typedIn({ form }: Visit): Omit<Credentials, "username"> | undefined {
  const username = form.one("username");
  const password = form.one("password");
  if (username === undefined || password === undefined) return undefined;
  if (password.length > maxPasswordLength) return undefined;
  return {
    typed: typedUserName(username),
    password: new Secret(password),
    remember: form.one("remember_me") === "on",
  };
}

/** Places the name, so that all its spellings count as one. Undefined for a form that cannot be read. */
async function credentialsOf(deps: SignInContext, visit: Visit, flow: FlowRecord): Promise<Credentials | undefined> {
  const form = typedIn(visit);
  if (form === undefined) return undefined;
  const place = () => deps.domains.place(form.typed, flow.client?.domains);
  const username = await reportUndecided(deps, visit, { flow, step: "password" }, place);
  await deps.pages.brands?.choose(visit.request, username);
  return { ...form, username };
}

async function ask(
  deps: SignInContext,
  visit: Visit,
  flow: FlowRecord,
  { username, password, context }: Credentials & { readonly context: EngineCall },
): Promise<PasswordOutcome> {
  if (username === "" || password.isEmpty) {
    const reason = username === "" ? "empty_username" : "empty_password";
    return { outcome: "denied", reason, message: undefined, isBlocked: false, holdMs: 0 };
  }
  const attempt = { username, password, ...attemptOrigin(deps, visit, flow) };
  return reportUndecided(deps, visit, { flow, step: "password" }, () => deps.checkPassword(attempt, context));
}

/** Applies the delay to correct and wrong passwords alike, before anything else happens. */
async function delayAnswer(deps: SignInContext, visit: Visit, decision: PasswordOutcome, typed: string): Promise<void> {
  const { request } = visit;
  const { signal, session } = callContext(visit, 0);
  await deps.delaySignIn({
    accountDelayMs: decision.holdMs,
    account: decision.account ?? typed,
    deviceToken: deps.pages.cookies.read(request.headers.cookie, cookieNames.device),
    clientIp: request.caller?.clientIp ?? "",
    session,
    signal,
  });
}

/** Continues with the second factor. What follows must look the same whether the password was correct or not. */
async function askFactor(
  deps: SignInContext,
  visit: Visit,
  flow: FlowRecord,
  { pending, event }: { readonly pending: PendingSignIn; readonly event: "password_accepted" | "password_refused" },
): Promise<FastifyReply> {
  // The client does not accept the user's factors: no sign-in without one.
  const { gate, pages } = deps;
  if (pending.methods.length === 0) {
    const { account } = pending;
    reportSignIn(deps, visit, flow, { step: "password", outcome: "undecided", reason: "no_usable_factor", account });
    return sendProblem(pages, visit, "unavailable");
  }
  const moved = await gate.move(flow, event, { pending });
  const place = pageUrlOf(moved ?? flow, visit.language?.tag);
  return sendOn(pages, visit, place, flow);
}

interface Refused {
  readonly flow: FlowRecord;
  readonly browserToken: string;
  readonly credentials: Credentials;
  readonly denial: PasswordDenial;
  readonly context: EngineCall;
}

/** The page may mention a ban only if it immediately shows whether the password was correct. */
function problemText({ pages, explainsNetworkBlock }: SignInContext, visit: Visit, { flow, denial }: Refused): string {
  const look = lookOf(pages, visit, flow);
  if (denial.message !== undefined) return denial.message;
  if (denial.mustChangePassword === true) return look.text("login.must_change");
  if (!denial.isBlocked || !explainsNetworkBlock) return look.text("login.failed");
  const { retryAfterSeconds } = denial;
  if (retryAfterSeconds === undefined) return look.text("login.blocked_later");
  return look.text("login.blocked", { when: waitingTime(retryAfterSeconds, look) });
}

/**
 * Shows that the sign-in failed. For an application with `delayed_response` and an account with a second factor, only after
 * the factor, so that an attacker without it learns nothing about the password. This also applies to a ban: otherwise the
 * attempt that completes its count would show the ban for a wrong password and the factor for a correct one.
 */
async function refuse(deps: SignInContext, visit: Visit, refused: Refused): Promise<FastifyReply> {
  const { flow, browserToken, credentials, context } = refused;
  const { username, typed, remember } = credentials;
  const isDelayed = flow.client?.delayedResponse === true;
  const known = isDelayed && username !== "" ? await deps.store.find(username, context) : undefined;
  const needed = known === undefined ? undefined : (await factorsOf(deps, flow, known.account, known)).needed;
  if (known === undefined || needed?.isNeeded !== true) {
    const problem = problemText(deps, visit, refused);
    const offersChange = refused.denial.mustChangePassword === true;
    const shown = {
      flow,
      browserToken,
      username: typed,
      remember,
      problem,
      offersChange,
      reference: referenceIn(visit),
    };
    return showLogin(deps, visit, shown);
  }
  const pending: PendingSignIn = {
    account: known.account,
    shownAs: typed,
    attributes: {},
    backend: noBackend,
    remember: false,
    passwordTs: Math.floor(deps.nowMs() / 1000),
    methods: needed.methods,
  };
  return askFactor(deps, visit, flow, { pending, event: "password_refused" });
}

interface Accepted {
  readonly flow: FlowRecord;
  readonly credentials: Credentials;
  readonly decision: PasswordAccepted;
  readonly context: EngineCall;
}

/** Whether the flow signs in this browser: another device is not, and proving a factor again is not. */
function isSignIn({ kind, accountId }: FlowRecord): boolean {
  return kind === "oidc" || kind === "saml" || (kind === "self_service" && accountId === undefined);
}

function pendingOf(
  { lostPhone, rememberMs, nowMs }: SignInContext,
  { flow, credentials, decision }: Omit<Accepted, "context">,
  needed: ReturnType<typeof neededFactors>,
): PendingSignIn {
  // For `delayed_response`, the page must be the same after a wrong password, of which nothing else is known.
  const mayAccept = flow.client?.delayedResponse !== true && decision.user.isSuspicious !== true;
  const acceptsCode = mayAccept && needed.acceptsCode && isSignIn(flow);
  return {
    ...decision.user,
    ...(acceptsCode && lostPhone !== undefined && { acceptsLostPhoneCode: true }),
    ...(flow.client?.delayedResponse === true ? { shownAs: credentials.typed } : {}),
    remember: credentials.remember && rememberMs > 0,
    passwordTs: Math.floor(nowMs() / 1000),
    methods: needed.methods,
    missing: needed.missing,
  };
}

/** Continues with the second factor if one is required, or completes the sign-in. */
async function accept(
  deps: SignInContext,
  visit: Visit,
  { flow, credentials, decision, context }: Accepted,
): Promise<FastifyReply> {
  const { metrics, store } = deps;
  const step = { flow, step: "password", account: decision.account } as const;
  const { isRequired, needed } = await reportUndecided(deps, visit, step, async () =>
    factorsOf(deps, flow, decision.account, await store.enrolled(decision.account, context)),
  );
  const pending = pendingOf(deps, { flow, credentials, decision }, needed);
  const alone = { flow, pending, method: undefined, factor: undefined } as const;
  if (!needed.isNeeded) return finishSignIn(deps, visit, alone);
  const proved = { flow, pending, password: credentials.password };
  // A device does not return the session of a sign-in with a second factor either.
  const mayRemember = flow.state !== "ready" && needed.methods.length > 0 && !isRequired;
  if (mayRemember && (await deps.deviceMemory.isRemembered(visit, proved))) {
    return finishSignIn(deps, visit, { ...alone, isRemembered: true });
  }
  // The password alone does not return the session of a sign-in with a second factor.
  if (flow.state === "ready") return sendOn(deps.pages, visit, pageUrlOf(flow, visit.language?.tag), flow);
  const rememberable = isRequired ? pending : { ...pending, ...deps.deviceMemory.rememberable(proved) };
  const factorRequest = { pending: rememberable, event: "password_accepted" } as const;
  const reply = await reportUndecided(deps, visit, step, () => askFactor(deps, visit, flow, factorRequest));
  metrics.signIn("password", "ok");
  return reply;
}

/** `POST /login`: shows the same text for every denial, except for the correct password that must be changed first. */
export const postLogin: FlowHandler = async (deps, visit, { flow, browserToken }) => {
  const { pages, metrics, decisionTimeoutMs } = deps;
  const credentials = await credentialsOf(deps, visit, flow);
  if (credentials === undefined) return sendProblem(pages, visit, "request");
  const checkContext = callContext(visit, decisionTimeoutMs());
  const decision = await ask(deps, visit, flow, { ...credentials, context: checkContext });
  await delayAnswer(deps, visit, decision, credentials.username);
  // The time limit starts after the delay.
  const context = callContext(visit, decisionTimeoutMs());
  if (decision.outcome === "denied") {
    const { reason, rule, account } = decision;
    const outcome = reason === "blocked" ? "blocked" : "denied";
    metrics.signIn("password", outcome);
    reportSignIn(deps, visit, flow, { step: "password", outcome, reason, rule, account });
    if (flow.state === "ready") return sendOn(pages, visit, pageUrlOf(flow, visit.language?.tag), flow);
    return refuse(deps, visit, { flow, browserToken, credentials, denial: decision, context });
  }
  return accept(deps, visit, { flow, credentials, decision, context });
};
