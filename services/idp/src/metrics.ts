import { noticeEvents } from "@postern/shared/contracts";
import type { Metrics } from "@postern/shared/metrics";
import type { NoticeEvent } from "./notices/notice.ts";

const steps = ["password", "totp", "recovery", "webauthn", "passkey"] as const;
const results = ["ok", "denied", "throttled", "undecided"] as const;

export type SignInStep = (typeof steps)[number];
export type SignInResult = (typeof results)[number];

/** One function for each fact that the identity provider counts. */
export interface IdpMetrics {
  signIn(step: SignInStep, result: SignInResult): void;
  /** `kept`: nobody loses it any more; `lost`: nobody will be told. */
  noticed(event: NoticeEvent, result: "kept" | "lost"): void;
}

export function createIdpMetrics(registry: Metrics, prefix: string): IdpMetrics {
  const signIns = registry.counter({
    name: `${prefix}_idp_sign_ins_total`,
    help: "Steps of sign-ins in the browser, by what became of them",
    labels: { step: steps, result: results },
  });
  const notices = registry.counter({
    name: `${prefix}_idp_notices_total`,
    help: "Notices of accounts, by whether they were kept for delivery",
    labels: { event: noticeEvents, result: ["kept", "lost"] },
  });
  return {
    noticed: (event, result) => notices({ event, result }).inc(),
    signIn: (step, result) => signIns({ step, result }).inc(),
  };
}
