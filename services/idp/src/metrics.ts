import { notificationEvents } from "@postern/shared/contracts";
import type { Metrics } from "@postern/shared/platform/metrics";
import type { NotificationEvent } from "./user-notifications/notification.ts";

const steps = ["password", "totp", "recovery", "webauthn", "passkey", "remembered_device", "lost_phone"] as const;
const results = ["ok", "denied", "blocked", "throttled", "undecided"] as const;

export type SignInStep = (typeof steps)[number];
export type SignInResult = (typeof results)[number];

/** One function for each fact that the identity provider counts. */
export function createIdpMetrics(registry: Metrics, prefix: string) {
  const signIns = registry.counter({
    name: `${prefix}_idp_sign_ins_total`,
    help: "Steps of browser sign-ins, by result",
    labels: { step: steps, result: results },
  });
  const notifications = registry.counter({
    name: `${prefix}_idp_notices_total`,
    help: "User notifications stored for delivery, or lost",
    labels: { event: notificationEvents, result: ["kept", "lost"] },
  });
  return {
    /** `kept`: the user notification is in the queue; `lost`: it will not be delivered. */
    notified: (event: NotificationEvent, result: "kept" | "lost"): void => notifications({ event, result }).inc(),
    signIn: (step: SignInStep, result: SignInResult): void => signIns({ step, result }).inc(),
  };
}

export type IdpMetrics = ReturnType<typeof createIdpMetrics>;
