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
import type { Deed } from "../operators/act.ts";
import type { Operator } from "../operators/operator.ts";
import type { Reach } from "../operators/reach.ts";
import { joined, roleWord, t } from "../texts/texts.ts";
import { hasOpenForm } from "./house/card.ts";
import type { SubjectLinks } from "./shown-values.ts";

/** Something that an operator can act on, on a page of the console. */
export interface Actionable {
  readonly operator: Operator;
  readonly helpdesk: HelpdeskRule;
  readonly links: SubjectLinks;
  /** Path of the page to return to. */
  readonly next: string;
  /** The action that was just carried out. */
  readonly done?: ConsoleActionId | undefined;
  /** What was entered for an action that needs a sign-in first: its form is open. */
  readonly kept?: Deed | undefined;
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
  readonly called?: Html;
  /** What there is to end, with numbers. */
  readonly ends?: Html | undefined;
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
  return html`<p>${t("act.proof")}</p><a class="button quiet" href="${pathTo(
    "consoleSignIn",
  )}?${query}">${t("house.sign_in_again")}</a>`;
}

/** What became of the action that was just entered: it was carried out, or needs a sign-in first. */
export function actNotice({ done, kept, operator, next, links }: Actionable): Html | undefined {
  if (done !== undefined)
    return html`<div class="done" role="status"><div><p>${t("house.done", { action: t(`action.${done}.label`) })}</p><p>${t(`action.${done}.effect`)}</p></div></div>`;
  if (kept === undefined) return undefined;
  const action = t(`action.${kept.id}.label`);
  return operator.isProved
    ? html`<div class="done" role="status"><p>${t("act.to_confirm", { action })}</p></div>`
    : html`<div class="done" role="alert"><div><p><b>${t("act.not_done", { action })}</b></p>${proofLink(links.kept(next, kept))}</div></div>`;
}

/** How long an account is suspended. */
const lasting = ["1h", "24h", "7d", "30d"] as const;

function suspensionFields(target: string, kept: Deed | undefined): Html {
  const [lasts, text] = [`lasts-${target}`, `text-${target}`];
  return html`<div class="field"><label for="${lasts}">${t("act.lasts")}</label><select id="${lasts}" name="lasts"><option value="">${t("act.lasts_open")}</option>${lasting.map(
    (value) =>
      html`<option value="${value}"${value === kept?.lasts && html` selected`}>${t(`act.lasts_${value}`)}</option>`,
  )}</select></div><div class="field"><label for="${text}">${t("act.text")}</label><input type="text" id="${text}" name="text" value="${kept?.text ?? ""}" maxlength="250" autocomplete="off"></div>`;
}

const isDangerous = (id: ConsoleActionId): boolean => {
  const action: ConsoleAction = consoleActions[id];
  return action.isDangerous === true;
};

/** What it ends on this account, in numbers. */
function endsText(id: ConsoleActionId, { ends }: ActedOn): Html | undefined {
  return ends !== undefined && isDangerous(id) ? html` ${t("act.ends", { ends })}` : undefined;
}

/** What was entered for this action on this thing. */
function keptFor({ kept }: Actionable, id: ConsoleActionId, { target, item }: ActedOn): Deed | undefined {
  return kept?.id === id && kept.target === target && kept.item === item ? kept : undefined;
}

function reasonForm(about: Actionable, id: ConsoleActionId, on: ActedOn): Html {
  const { operator, next } = about;
  const { target, item, called } = on;
  const kept = keptFor(about, id, on);
  const field = `reason-${id}-${item ?? target}`;
  const { min, max } = reasonLength;
  const fields = html`<input type="hidden" name="target" value="${target}">${item !== undefined && html`<input type="hidden" name="item" value="${item}">`}<input type="hidden" name="next" value="${next}">${id === "suspend" && suspensionFields(target, kept)}<div class="field"><label for="${field}">${t("act.reason")}</label><input type="text" id="${field}" name="reason" value="${kept?.note ?? ""}" minlength="${min}" maxlength="${max}" autocomplete="off" required${kept !== undefined && html` autofocus`}></div><button type="submit"${isDangerous(id) && html` class="danger"`}>${t(
    `action.${id}.label`,
  )}<span class="hidden"> ${called ?? target}</span></button>`;
  return formOf({ action: pathTo("consoleAct", { action: id }), csrfToken: operator.csrfToken }, fields);
}

function actionItem(about: Actionable, id: ConsoleActionId, on: ActedOn): Html {
  const { needsProof }: ConsoleAction = consoleActions[id];
  const needsSignIn = needsProof === true && !about.operator.isProved;
  const kept = keptFor(about, id, on);
  const { target, item } = on;
  const again = kept ?? { id, target, note: "", ...(item !== undefined && { item }) };
  return html`<li${isDangerous(id) && html` class="danger"`}><details${kept !== undefined && html` open`}><summary>${t(`action.${id}.label`)}<span class="hidden"> ${on.called ?? on.target}</span></summary><p>${t(`action.${id}.effect`)}${endsText(id, on)}</p>${
    needsSignIn ? proofLink(about.links.kept(about.next, again)) : reasonForm(about, id, on)
  }</details></li>`;
}

const isOnAccount = (id: ConsoleActionId): boolean => consoleActions[id].target !== "network";

/** The actions that do not help now, behind one button; nothing if there are none. */
export function moreActions(actions: Html | undefined): Html | undefined {
  return (
    actions &&
    html`<details class="more-actions"${hasOpenForm(actions) && html` open`}><summary>${t("act.more")}</summary>${actions}</details>`
  );
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

/** Why actions on the account are missing: all of them, or those that the operator's role does not permit. */
export function missingActions({ reach = "allowed", operator, helpdesk }: Actionable): Html | undefined {
  if (reach !== "allowed") return html`<p class="note">${t(`reach.${reach}`)}</p>`;
  // An invitation is for new operators, not for users.
  const missing = allActions.filter(
    (id) => isOnAccount(id) && id !== "invite" && isOfferedAction(id, helpdesk) && !mayAct(operator, id, helpdesk),
  );
  if (missing.length === 0) return undefined;
  const higher = consoleRoles.find((one) => missing.every((id) => mayAct({ role: one }, id, helpdesk))) ?? "admin";
  // "End" is one of the sessions that "End sessions" ends, and only a suspended account is resumed.
  const labels = missing.filter((id) => id !== "end-session" && id !== "resume").map((id) => t(`action.${id}.label`));
  return html`<p class="note">${t("act.missing", { role: roleWord(operator.role), actions: joined(labels), higher: roleWord(higher) })}</p>`;
}
