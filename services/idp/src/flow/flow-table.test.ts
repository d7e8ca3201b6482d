import fc from "fast-check";
import { expect, test } from "vitest";
import { type FlowEvent, type FlowKind, type FlowState, flowTable, mayBegin, nextState } from "./flow-table.ts";

const kinds: readonly FlowKind[] = ["oidc", "saml", "device", "self_service"];
const events: readonly FlowEvent[] = [
  "code_accepted",
  "password_accepted",
  "password_refused",
  "signed_in",
  "enrolment_required",
  "enrolled",
  "restarted",
  "consent_required",
  "allowed",
  "denied",
];

/** The state after each event. Events that are not in the table are rejected and change nothing. */
function walk(
  kind: FlowKind,
  start: FlowState,
  steps: readonly FlowEvent[],
): readonly (readonly [FlowState, FlowEvent])[] {
  const taken: (readonly [FlowState, FlowEvent])[] = [];
  let state = start;
  for (const event of steps) {
    const next = nextState(kind, state, event);
    if (next === undefined) continue;
    taken.push([state, event]);
    state = next;
  }
  return taken;
}

test("for any sequence of events, a user is signed in only from the password or factor state, and access is allowed only from the consent state", () => {
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.array(fc.constantFrom(...events), { maxLength: 20 }), (kind, steps) => {
      for (const start of flowTable[kind].begins) {
        for (const [state, event] of walk(kind, start, steps)) {
          if (event === "signed_in") expect(["login", "factor"]).toContain(state);
          if (event === "allowed") expect(state).toBe("consent");
        }
      }
    }),
  );
});

test("a flow leaves the factor state only by a sign-in with that factor, an enrolment or a restart", () => {
  for (const kind of kinds) {
    const ways = events.filter((event) => nextState(kind, "factor", event) !== undefined);
    expect(ways).toEqual(["signed_in", "enrolment_required", "restarted"]);
  }
});

test("a flow that requests a second factor after a wrong password can only be restarted", () => {
  for (const kind of kinds) {
    expect(events.filter((event) => nextState(kind, "latched", event) !== undefined)).toEqual(["restarted"]);
    expect(nextState(kind, "latched", "restarted")).toBe("login");
  }
});

test("a finished flow accepts no further event, and only OIDC and device flows have consent", () => {
  for (const kind of kinds) {
    expect(events.filter((event) => nextState(kind, "finished", event) !== undefined)).toEqual([]);
    expect(nextState(kind, "consent", "allowed")).toBe(kind === "oidc" || kind === "device" ? "finished" : undefined);
  }
});

test("no flow begins in a signed-in state", () => {
  for (const kind of kinds) {
    for (const state of ["ready", "finished", "enrolment"] as const) expect(mayBegin(kind, state)).toBe(false);
  }
});
