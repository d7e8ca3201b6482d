import { pathTo } from "@postern/shared/contracts";
import type { FlowGate } from "../flow/flow-gate.ts";
import { pageUrlOf } from "../flow/flow-paths.ts";
import type { FlowEnd, FlowEnding } from "../flow/flow-port.ts";
import type { FactorMethod, FlowRecord, PendingSignIn } from "../flow/flow-record.ts";
import { type FlowKind, mayCancel, nextState } from "../flow/flow-table.ts";
import { acrOfRank, rankOfMethod } from "../second-factors/factor-levels.ts";
import type { BrowserSessionRecord, SessionOrigin } from "../sessions/browser-session.ts";
import type { NewSession, SessionStore } from "../sessions/session-store-redis.ts";

/** Which of an account's names is the subject that applications receive (`identity.subject`). */
type SubjectRule = "unique_id" | "account";

/**
 * The subject of an account. It is chosen once, at sign-in, and does not change during the session. `lacksSubject`: an
 * identifier is mapped and this account has none. Its name is not used as the subject, because it may be reassigned
 * to another user. Never absent, because it replaces the value of a renewed session.
 */
export function subjectOf(
  { account, uniqueUserId }: Pick<PendingSignIn, "account" | "uniqueUserId">,
  rule: SubjectRule,
) {
  if (rule === "account" || uniqueUserId === undefined) return { accountId: account, lacksSubject: false };
  const lacksSubject = uniqueUserId === "";
  return { accountId: lacksSubject ? account : uniqueUserId, lacksSubject };
}

/** What was verified besides the password; a passkey needs no password. */
export type SignInMethod = FactorMethod | "passkey" | "lost_phone";

export type FlowEnds = Readonly<Partial<Record<Exclude<FlowKind, "self_service">, FlowEnd>>>;

export interface CompleteSignInDeps {
  readonly sessions: SessionStore;
  readonly gate: FlowGate;
  readonly ends: FlowEnds;
  /** A session was replaced by another user's: also ends its tokens. */
  readonly onReplaced: (session: BrowserSessionRecord) => Promise<void>;
  /** Stores what the backend said at this sign-in: the source of claims, of which refreshed tokens have the new ones too. */
  readonly onSignedIn: (session: BrowserSessionRecord) => Promise<void>;
  /** Whether the account is suspended at this moment, as Redis says. */
  readonly isSuspended: (account: string) => Promise<boolean>;
  readonly nowSeconds: () => number;
  /** `identity.subject` */
  readonly subject: SubjectRule;
}

export interface SignedIn {
  readonly pending: PendingSignIn;
  readonly method: SignInMethod | undefined;
  /** The factor that was verified, and whether the sign-in is doubted. */
  readonly proof: Pick<BrowserSessionRecord, "factor" | "isDoubted">;
  /** The browser's current session. */
  readonly cookie: string | undefined;
  readonly origin: SessionOrigin;
}

/** Undefined: the flow is over, that is, finished in another tab, or expired, or the account was suspended meanwhile. */
export type Completion = { readonly session: BrowserSessionRecord; readonly redirect: string } | undefined;

/** RFC 8176; a recovery code counts as something that the user has, like a one-time password. */
const references: Readonly<Record<SignInMethod, readonly string[]>> = {
  totp: ["pwd", "otp", "mfa"],
  webauthn: ["pwd", "hwk", "mfa"],
  recovery: ["pwd", "otp", "mfa"],
  // It was told to the user, as a recovery code was.
  lost_phone: ["pwd", "otp", "mfa"],
  // A key, and the PIN or fingerprint that unlocks it.
  passkey: ["hwk", "user", "mfa"],
};

const factorOf: Readonly<Record<SignInMethod, FactorMethod>> = {
  totp: "totp",
  webauthn: "webauthn",
  recovery: "recovery",
  lost_phone: "recovery",
  passkey: "webauthn",
};

function newSessionOf({ pending, method, origin, proof }: SignedIn, nowSeconds: number, rule: SubjectRule): NewSession {
  const { account, displayName, attributes, groups, groupDns, backend, remember } = pending;
  return {
    ...subjectOf(pending, rule),
    account,
    attributes,
    backend,
    // A code from the help desk is for one sign-in.
    remember: remember && method !== "lost_phone",
    origin,
    loginTs: nowSeconds,
    amr: method === undefined ? ["pwd"] : references[method],
    acr: acrOfRank(rankOfMethod(method && factorOf[method])),
    ...(displayName === undefined ? {} : { displayName }),
    ...(groups === undefined ? {} : { groups }),
    ...(groupDns === undefined ? {} : { groupDns }),
    ...(method === undefined || method === "lost_phone" ? {} : { mfaTs: nowSeconds }),
    ...(method === "lost_phone" && { lostPhoneTs: nowSeconds }),
    ...proof,
  };
}

/** The session of a completed sign-in whose form was sent again with correct credentials. */
async function sessionToJoin(
  sessions: SessionStore,
  flow: FlowRecord,
  { account, uniqueUserId }: PendingSignIn,
): Promise<BrowserSessionRecord | undefined> {
  const session = flow.sessionUid === undefined ? undefined : await sessions.findByUid(flow.sessionUid);
  const isSame = session?.account === account && flow.pending?.uniqueUserId === uniqueUserId;
  return isSame ? session : undefined;
}

function endOf(ends: FlowEnds, flow: FlowRecord, session: BrowserSessionRecord): Promise<FlowEnding> {
  if (flow.kind === "self_service") return Promise.resolve({ redirect: flow.returnTo ?? pathTo("registrationHome") });
  const end = ends[flow.kind];
  if (end === undefined) throw new RangeError(`no handler ends a flow of ${flow.kind}`);
  return end.finishLogin(flow.id, session);
}

function createCancel({ ends, gate }: Pick<CompleteSignInDeps, "ends" | "gate">) {
  return async (flow: FlowRecord): Promise<FlowEnding> => {
    const cancelLogin = flow.kind === "self_service" ? undefined : ends[flow.kind]?.cancelLogin;
    if (cancelLogin === undefined || !mayCancel(flow)) return { expired: true };
    if (nextState(flow.kind, flow.state, "restarted") !== undefined) await gate.restart(flow);
    return cancelLogin(flow.id);
  };
}

/** Creates the session, or renews that of the same user in this browser; ends that of another user. */
function createEstablish({ sessions, onReplaced, onSignedIn, nowSeconds, subject: rule }: CompleteSignInDeps) {
  const renewOrCreate = async (signedIn: SignedIn): Promise<BrowserSessionRecord> => {
    const newSession = newSessionOf(signedIn, nowSeconds(), rule);
    const old = signedIn.cookie === undefined ? undefined : await sessions.findBySid(signedIn.cookie);
    // Compares both: a name may have been reassigned, and a subject may have been renamed.
    if (old?.account === newSession.account && old.accountId === newSession.accountId) {
      const renewed = await sessions.renew(old.uid, newSession);
      if (renewed !== undefined) return renewed;
    } else if (old !== undefined) {
      const ended = await sessions.end(old.uid);
      if (ended !== undefined) await onReplaced(ended);
    }
    return sessions.create(newSession);
  };
  return async (signedIn: SignedIn): Promise<BrowserSessionRecord> => {
    const session = await renewOrCreate(signedIn);
    await onSignedIn(session);
    return session;
  };
}

export function createCompleteSignIn(deps: CompleteSignInDeps) {
  const { sessions, gate, ends } = deps;
  const establish = createEstablish(deps);
  const resume = async (flow: FlowRecord, session: BrowserSessionRecord | undefined): Promise<Completion> => {
    if (session === undefined || flow.state !== "ready" || session.uid !== flow.sessionUid) return undefined;
    const ending = await endOf(ends, flow, session);
    return "expired" in ending ? undefined : { session, redirect: ending.redirect };
  };

  /** The page for a factor that must be set up first, or the protocol's next step. */
  const onwards = async (flow: FlowRecord, session: BrowserSessionRecord | undefined): Promise<Completion> => {
    if (flow.state !== "enrolment" || session === undefined) return resume(flow, session);
    const redirect = pageUrlOf(flow, flow.languageTag);
    return redirect === undefined ? undefined : { session, redirect };
  };

  return {
    /** Creates or renews the session, moves the flow, and returns the browser's next location. */
    complete: async (flow: FlowRecord, signedIn: SignedIn): Promise<Completion> => {
      const { pending } = signedIn;
      if (flow.state === "ready") return resume(flow, await sessionToJoin(sessions, flow, pending));
      const isMissing = (pending.missing ?? []).length > 0;
      const event = isMissing ? "enrolment_required" : "signed_in";
      // Checked before a session exists: only the table decides in which states a sign-in may complete.
      if (nextState(flow.kind, flow.state, event) === undefined) throw new RangeError(`no ${event} from ${flow.state}`);
      const session = await establish(signedIn);
      // Either the suspension finds this session and ends it, or it is found here.
      if (await deps.isSuspended(session.account)) {
        await sessions.end(session.uid);
        return undefined;
      }
      const moved = await gate.move(flow, event, { sessionUid: session.uid, pending });
      if (moved !== undefined) return onwards(moved, session);
      // The form was sent twice and the other request has moved the flow. Only one session remains.
      const now = await gate.reread(flow.id);
      if (now?.sessionUid === undefined) return undefined;
      if (now.sessionUid !== session.uid) await sessions.end(session.uid);
      return onwards(now, await sessions.findByUid(now.sessionUid));
    },
    /** Continues a flow whose sign-in is complete, because a browser repeats its last step. */
    resume,
    /**
     * Reports to the application that the user cancelled, and forgets what was proved. May be called again, because users
     * click twice.
     */
    cancel: createCancel(deps),
  };
}
