/** The protocol of a sign-in, as decisions, the log and audit records name it. */
export const protocolOfFlow = { oidc: "oidc", device: "oidc", saml: "saml", self_service: "idp" } as const;

/** What a flow is for. */
export type FlowKind = "oidc" | "saml" | "device" | "self_service";

/**
 * The state of a flow. `code`: the user enters a device's code; `login`: name and password; `factor`: a second factor;
 * `latched`: looks like `factor`, but the password was wrong and the sign-in can no longer succeed; `enrolment`: a factor
 * must be set up first; `ready`: signed in, the protocol continues; `consent`: the user decides about consent;
 * `finished`: over.
 */
export type FlowState = "code" | "login" | "factor" | "latched" | "enrolment" | "ready" | "consent" | "finished";

/** The events that move a flow. */
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

/** `restarted`: the user switches to another account. */
const consent = { allowed: "finished", denied: "finished", restarted: "login" } as const;

/** Every state in which a flow may start and every move that it may make. Nothing else is possible. */
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

/** The states that ask for a second factor. */
export const factorStates = ["factor", "latched"] as const satisfies readonly FlowState[];

/** The state after `event`, or undefined if the table has no such move. */
export function nextState(kind: FlowKind, state: FlowState, event: FlowEvent): FlowState | undefined {
  return flowTable[kind].moves[state]?.[event];
}

export function mayBegin(kind: FlowKind, state: FlowState): boolean {
  return flowTable[kind].begins.includes(state);
}

/** Whether an application waits for this sign-in. */
export function mayCancel({ kind }: { readonly kind: FlowKind }): boolean {
  return kind === "oidc" || kind === "saml";
}
