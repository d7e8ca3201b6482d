import {
  type ConsoleAction,
  type ConsoleActionId,
  consoleActions,
  consoleRoles,
  type HelpdeskRule,
  isConsoleAction,
  isOfferedAction,
  mayAct,
  pathTo,
} from "@postern/shared/contracts";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../operators/operator.ts";
import type { Reach } from "../operators/reach.ts";
import type { SubjectLinks } from "./shown-values.ts";

/** Something that an operator can act on, on a page of the console. */
export interface Actionable {
  readonly operator: Operator;
  readonly helpdesk: HelpdeskRule;
  readonly links: SubjectLinks;
  /** Path of the page to return to. */
  readonly next: string;
  /** Whether the operator may act on the account of the page. Absent on a page about none. */
  readonly reach?: ShownReach;
}

/** `undecided`: an engine or a backend did not answer. */
export type ShownReach = Reach["kind"] | "undecided";

export interface ActedOn {
  /** Account or network. */
  readonly target: string;
  /** Identifier of the account's session, passkey or app password. */
  readonly item?: string;
  /** What it is called, for people who do not see what is beside the button; the target if absent. */
  readonly called?: string;
  /** What there is to end, with numbers. */
  readonly ends?: string | undefined;
  /** Marked as what helps now. */
  readonly isRemedy?: boolean;
}

/** The actions that the page offers already; each is offered once. */
export function createOffered() {
  const all = new Set<string>();
  return {
    /** @returns whether it was not offered before */
    add: (id: ConsoleActionId, target: string): boolean => all.size < all.add(`${id} ${target}`).size,
    has: (id: ConsoleActionId, target: string): boolean => all.has(`${id} ${target}`),
  };
}

export type Offered = ReturnType<typeof createOffered>;

/** Bounds of the reason. */
export const reasonLength = { min: 3, max: 300 } as const;

/** A sign-in with the second factor, which leads back to this page. */
export function proofLink(next: string): Html {
  const query = new URLSearchParams({ proof: "1", next }).toString();
  return html`<p>This needs a sign-in with your second factor within the last five minutes.</p><a class="button quiet" href="${pathTo(
    "consoleSignIn",
  )}?${query}">Sign in again</a>`;
}

/** How long an account is suspended. */
const lasting = [
  ["", "Until it is resumed"],
  ["1h", "One hour"],
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;

function suspensionFields(target: string): Html {
  const [lasts, text] = [`lasts-${target}`, `text-${target}`];
  return html`<div class="field"><label for="${lasts}">How long</label><select id="${lasts}" name="lasts">${lasting.map(
    ([value, label]) => html`<option value="${value}">${label}</option>`,
  )}</select></div><div class="field"><label for="${text}">Text for the user (optional; shown after a correct password)</label><input type="text" id="${text}" name="text" maxlength="250" autocomplete="off"></div>`;
}

const isDangerous = (id: ConsoleActionId): boolean => {
  const action: ConsoleAction = consoleActions[id];
  return action.isDangerous === true;
};

/** What it ends on this account, in numbers. */
function endsText(id: ConsoleActionId, { ends }: ActedOn): string {
  return ends !== undefined && isDangerous(id) ? ` Now: ${ends}.` : "";
}

function reasonForm({ operator, next }: Actionable, id: ConsoleActionId, { target, item, called }: ActedOn): Html {
  const field = `reason-${id}-${item ?? target}`;
  const { min, max } = reasonLength;
  const fields = html`<input type="hidden" name="target" value="${target}">${item !== undefined && html`<input type="hidden" name="item" value="${item}">`}<input type="hidden" name="next" value="${next}">${id === "suspend" && suspensionFields(target)}<div class="field"><label for="${field}">Reason</label><input type="text" id="${field}" name="reason" minlength="${min}" maxlength="${max}" autocomplete="off" required></div><button type="submit"${isDangerous(id) && html` class="danger"`}>${
    consoleActions[id].label
  }<span class="hidden"> ${called ?? target}</span></button>`;
  return formOf({ action: pathTo("consoleAct", { action: id }), csrfToken: operator.csrfToken }, fields);
}

function actionItem(about: Actionable, id: ConsoleActionId, on: ActedOn): Html {
  const { label, effect, needsProof }: ConsoleAction = consoleActions[id];
  const needsSignIn = needsProof === true && !about.operator.isProved;
  return html`<li${isDangerous(id) && html` class="danger"`}><details><summary>${label}<span class="hidden"> ${on.called ?? on.target}</span></summary><p>${effect}${endsText(id, on)}</p>${
    needsSignIn ? proofLink(about.next) : reasonForm(about, id, on)
  }</details></li>`;
}

const isOnAccount = (id: ConsoleActionId): boolean => consoleActions[id].target !== "network";

/** The actions that do not help now, behind one button; nothing if there are none. */
export function moreActions(actions: Html | undefined): Html | undefined {
  return actions && html`<details class="more-actions"><summary>More</summary>${actions}</details>`;
}

/** Those of the actions that the operator may do; nothing if there are none. */
export function actionsOf(about: Actionable, ids: readonly ConsoleActionId[], on: ActedOn): Html | undefined {
  const { operator, helpdesk, reach = "allowed" } = about;
  const own = ids.filter((id) => (reach === "allowed" || !isOnAccount(id)) && mayAct(operator, id, helpdesk));
  const marked = on.isRemedy === true ? " marked" : "";
  return own.length === 0
    ? undefined
    : html`<ul class="acts${marked}">${own.map((id) => actionItem(about, id, on))}</ul>`;
}

const allActions = Object.keys(consoleActions).filter((id) => isConsoleAction(id));

/** Resuming is the remedy of a suspension, and offered with it; nothing else suspends the account once more. */
function isApplicable(id: ConsoleActionId, target: string, offered: Offered): boolean {
  return id !== "resume" && !(id === "suspend" && offered.has("resume", target));
}

/** The actions on an account or network that the operator may do, without those that the page offers already. */
export function actionList(
  about: Actionable,
  kind: "account" | "network",
  target: string,
  offered: Offered = createOffered(),
): Html | undefined {
  const ids = allActions.filter(
    (id) => consoleActions[id].target === kind && !offered.has(id, target) && isApplicable(id, target, offered),
  );
  return actionsOf(about, ids, { target });
}

const whyNot: Readonly<Record<Exclude<ShownReach, "allowed">, string>> = {
  own: "This is your own account. Another operator with a higher role can change it.",
  higher: "This account has the same role as yours or a higher one. Only an operator with a higher role can change it.",
  unread:
    "The role of this account cannot be read, as that of a disabled account. Nobody can change it in the console.",
  unknown: "No backend has an account of this name, so there is nothing to change.",
  undecided:
    "An engine or a backend does not answer, so it is not known whose account this is. Actions are offered again once it does.",
};

/** Why actions on the account are missing: all of them, or those that the operator's role does not permit. */
export function missingActions({ reach = "allowed", operator, helpdesk }: Actionable): Html | undefined {
  if (reach !== "allowed") return html`<p class="note">${whyNot[reach]}</p>`;
  // An invitation is for new operators, not for users.
  const missing = allActions.filter(
    (id) => isOnAccount(id) && id !== "invite" && isOfferedAction(id, helpdesk) && !mayAct(operator, id, helpdesk),
  );
  if (missing.length === 0) return undefined;
  const higher = consoleRoles.find((one) => missing.every((id) => mayAct({ role: one }, id, helpdesk))) ?? "admin";
  // "End" is one of the sessions that "End sessions" ends, and only a suspended account is resumed.
  const labels = missing.filter((id) => id !== "end-session" && id !== "resume").map((id) => consoleActions[id].label);
  return html`<p class="note">Your role, ${operator.role}, does not permit these actions: ${labels.join(", ")}. They need the role ${higher}.</p>`;
}
