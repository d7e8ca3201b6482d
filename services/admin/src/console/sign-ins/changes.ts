import type { AccountChange } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { time } from "../shown-values.ts";

const events: Readonly<Record<string, string>> = {
  "account.resume": "Account resumed",
  "account.suspend": "Account suspended",
  "app_password.create": "App password created",
  "app_password.delete": "App password revoked",
  "cache.flush": "Account flushed",
  "lost_phone.create": "Lost-phone code created",
  "lost_phone.use": "Signed in with a lost-phone code",
  "recovery_code.use": "Recovery code used",
  "recovery_codes.create": "Recovery codes created",
  "risk.confirm": "Suspicious sign-in confirmed",
  "risk.reject": "Suspicious sign-ins reported",
  "second_factor.add": "Second factor added",
  "second_factor.lock": "Second factor locked after wrong codes",
  "second_factor.remove": "Second factor removed",
  "second_factor.unlock": "Second factors unlocked",
  "session.end": "Sessions ended",
};
/** Factors; other reasons are for programs. */
const reasons: Readonly<Record<string, string>> = {
  totp: "authenticator app",
  webauthn: "passkey",
  recovery: "recovery codes",
};
const actors: Readonly<Record<string, string>> = { user: "by the user", operator: "by an operator" };

/** A change in words, such as `Second factor added (passkey) by the user`. */
function changeText({ event, reason = "", by }: AccountChange): string {
  const about = reasons[reason];
  const words = events[event] ?? event;
  return [about === undefined ? words : `${words} (${about})`, actors[by]]
    .filter((word) => word !== undefined)
    .join(" ");
}

/** Changes of an account as text. */
export function changesPart(changes: readonly AccountChange[]): Html | undefined {
  return changes.length === 0
    ? undefined
    : html`<h3>Changes of the account</h3><ul class="counted">${changes.map(
        (change) => html`<li><span class="name">${changeText(change)}</span> ${time(change.time)}</li>`,
      )}</ul>`;
}
