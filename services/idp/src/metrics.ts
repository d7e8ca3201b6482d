import type { Metrics } from "@postern/shared/metrics";

const steps = ["password", "totp", "recovery", "webauthn", "passkey"] as const;
const results = ["ok", "denied", "throttled", "undecided"] as const;

export type SignInStep = (typeof steps)[number];
export type SignInResult = (typeof results)[number];

/** One function for each fact that the identity provider counts. */
export interface IdpMetrics {
  signIn(step: SignInStep, result: SignInResult): void;
}

export function createIdpMetrics(registry: Metrics, prefix: string): IdpMetrics {
  const signIns = registry.counter({
    name: `${prefix}_idp_sign_ins_total`,
    help: "Steps of sign-ins in the browser, by what became of them",
    labels: { step: steps, result: results },
  });
  return {
    signIn: (step, result) => signIns({ step, result }).inc(),
  };
}
