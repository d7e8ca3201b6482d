import type { Metrics } from "@postern/shared/metrics";

const steps = ["password", "totp", "recovery"] as const;
const results = ["ok", "denied", "throttled", "undecided"] as const;

export type SignInStep = (typeof steps)[number];
export type SignInResult = (typeof results)[number];

/** One function for each fact that the identity provider counts. */
export interface IdpMetrics {
  signIn(step: SignInStep, result: SignInResult): void;
  /** A page was asked for without a flow that leads there. */
  flowRefused(): void;
}

export function createIdpMetrics(registry: Metrics, prefix: string): IdpMetrics {
  const signIns = registry.counter({
    name: `${prefix}_idp_sign_ins_total`,
    help: "Steps of sign-ins in the browser, by what became of them",
    labels: { step: steps, result: results },
  });
  const refused = registry.counter({
    name: `${prefix}_idp_flow_refusals_total`,
    help: "Pages that were refused because no flow leads there",
    labels: {},
  })({});
  return {
    signIn: (step, result) => signIns({ step, result }).inc(),
    flowRefused: () => refused.inc(),
  };
}
