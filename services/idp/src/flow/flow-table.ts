/** What a flow leads to. */
export type FlowKind = "oidc" | "saml" | "device" | "self_service";

/**
 * Where a flow stands. `code`: a device's user code is to be entered; `login`: name and password; `factor`: a second
 * factor; `latched`: the same to whoever looks, but the password was wrong and nothing leads to a sign-in; `enrolment`: a factor that must be set up first; `ready`: signed in, the protocol goes on; `consent`: the
 * user is asked; `finished`: nothing more happens.
 */
export type FlowState = "code" | "login" | "factor" | "latched" | "enrolment" | "ready" | "consent" | "finished";

/** What moves it. */
export type FlowEvent =
  | "code_accepted"
  | "password_accepted"
  | "password_refused"
  | "signed_in"
  | "enrolment_required"
  | "enrolled"
  | "restarted"
  | "consent_required"
  | "allowed"
  | "denied";

type Moves = Readonly<Partial<Record<FlowState, Readonly<Partial<Record<FlowEvent, FlowState>>>>>>;

const signIn = {
  login: {
    password_accepted: "factor",
    password_refused: "latched",
    signed_in: "ready",
    enrolment_required: "enrolment",
  },
  factor: { signed_in: "ready", enrolment_required: "enrolment", restarted: "login" },
  latched: { restarted: "login" },
  enrolment: { enrolled: "ready", restarted: "login" },
} as const satisfies Moves;

const consent = { allowed: "finished", denied: "finished" } as const;

/** Every state in which a flow may begin, and every move that it may make. What is not here does not happen. */
export const flowTable: Readonly<Record<FlowKind, { readonly begins: readonly FlowState[]; readonly moves: Moves }>> =
  Object.freeze({
    oidc: { begins: ["login", "consent"], moves: { ...signIn, consent } },
    saml: { begins: ["login"], moves: signIn },
    device: {
      begins: ["code"],
      moves: {
        code: { code_accepted: "login", consent_required: "consent" },
        ...signIn,
        ready: { consent_required: "consent" },
        consent,
      },
    },
    self_service: { begins: ["login", "factor"], moves: signIn },
  });

/** Where a second factor is asked for. */
export const factorStates = ["factor", "latched"] as const satisfies readonly FlowState[];

/** The state after `event`, or undefined when the table has no such move. */
export function nextState(kind: FlowKind, state: FlowState, event: FlowEvent): FlowState | undefined {
  return flowTable[kind].moves[state]?.[event];
}

export function mayBegin(kind: FlowKind, state: FlowState): boolean {
  return flowTable[kind].begins.includes(state);
}
