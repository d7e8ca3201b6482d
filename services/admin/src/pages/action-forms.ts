import {
  type ConsoleAction,
  type ConsoleActionId,
  consoleActions,
  type HelpdeskRule,
  isConsoleAction,
  mayAct,
  pathTo,
} from "@postern/shared/contracts";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../operators/operator.ts";
import type { SubjectLinks } from "./shown-values.ts";

/** Something that an operator can act on, on a page of the console. */
export interface Actionable {
  readonly operator: Operator;
  readonly helpdesk: HelpdeskRule;
  readonly links: SubjectLinks;
  /** Path of the page to return to. */
  readonly next: string;
}

export interface ActedOn {
  /** Account or network. */
  readonly target: string;
  /** Identifier of the account's session, passkey or app password. */
  readonly item?: string;
  /** What it is called, for people who do not see what is beside the button; the target if absent. */
  readonly called?: string;
}

/** Bounds of the reason. */
export const reasonLength = { min: 3, max: 300 } as const;

/** A sign-in with the second factor, which leads back to this page. */
export function proofLink(next: string): Html {
  const query = new URLSearchParams({ proof: "1", next }).toString();
  return html`<p>This needs a sign-in with your second factor within the last five minutes.</p><a class="button quiet" href="${pathTo(
    "consoleSignIn",
  )}?${query}">Sign in again</a>`;
}

function reasonForm({ operator, next }: Actionable, id: ConsoleActionId, { target, item, called }: ActedOn): Html {
  const field = `reason-${id}-${item ?? target}`;
  const { min, max } = reasonLength;
  const fields = html`<input type="hidden" name="target" value="${target}">${item !== undefined && html`<input type="hidden" name="item" value="${item}">`}<input type="hidden" name="next" value="${next}"><div class="field"><label for="${field}">Reason</label><input type="text" id="${field}" name="reason" minlength="${min}" maxlength="${max}" autocomplete="off" required></div><button type="submit">${
    consoleActions[id].label
  }<span class="hidden"> ${called ?? target}</span></button>`;
  return formOf({ action: pathTo("consoleAct", { action: id }), csrfToken: operator.csrfToken }, fields);
}

function actionItem(about: Actionable, id: ConsoleActionId, on: ActedOn): Html {
  const { label, effect, needsProof }: ConsoleAction = consoleActions[id];
  const needsSignIn = needsProof === true && !about.operator.isProved;
  return html`<li><details><summary>${label}<span class="hidden"> ${on.called ?? on.target}</span></summary><p>${effect}</p>${
    needsSignIn ? proofLink(about.next) : reasonForm(about, id, on)
  }</details></li>`;
}

/** Those of the actions that the operator's role permits; nothing if there are none. */
export function actionsOf(about: Actionable, ids: readonly ConsoleActionId[], on: ActedOn): Html | undefined {
  const { operator, helpdesk } = about;
  const own = ids.filter((id) => mayAct(operator.role, id, helpdesk));
  return own.length === 0 ? undefined : html`<ul class="acts">${own.map((id) => actionItem(about, id, on))}</ul>`;
}

/** The actions on an account or network that the operator's role permits; nothing if there are none. */
export function actionList(about: Actionable, kind: "account" | "network", target: string): Html | undefined {
  const ids = Object.keys(consoleActions).filter((id) => isConsoleAction(id));
  const ofKind = ids.filter((id) => consoleActions[id].target === kind);
  return actionsOf(about, ofKind, { target });
}
