import {
  type ConsoleAction,
  type ConsoleActionId,
  consoleActions,
  Invitation,
  isConsoleAction,
  LostPhoneCode,
  SuspensionDone,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { type Html, html } from "@postern/shared/platform/pages";
import { Value } from "typebox/value";
import type { Deed } from "../operators/act.ts";
import { t } from "../texts/texts.ts";
import { reasonLength } from "./action-forms.ts";
import type { ConsolePage } from "./console-document.ts";
import { ownForm, pageWithin } from "./console-form.ts";
import { type ConsoleVisit, goTo, type PageAnswer } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./context.ts";
import { noticePage } from "./notice-pages.ts";
import { exactTime, linksOf } from "./shown-values.ts";

const doneLine = (id: ConsoleActionId): Html =>
  html`<p role="status">${t("act.done", { action: t(`action.${id}.label`) })}</p>`;

/** The actions that answer with a code: for a new operator, and for a user who lost the second factor. */
const codes = {
  invite: { operation: "inviteOperator", schema: Invitation, title: "act.invitation_title", about: "act.invitation" },
  "lost-phone": {
    operation: "createLostPhoneCode",
    schema: LostPhoneCode,
    title: "act.lost_phone_title",
    about: "act.lost_phone",
  },
} as const;
const hasCode = (id: ConsoleActionId): id is keyof typeof codes => Object.hasOwn(codes, id);

/** The code, once. `next`: path of the page from which it was requested. */
function codePage(id: keyof typeof codes, answer: unknown, next: string): ConsolePage {
  const { operation, schema, title, about } = codes[id];
  if (!Value.Check(schema, answer))
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `${operation} returned no code` });
  const { account, code, expires } = answer;
  const body = html`${doneLine(id)}<h1>${t(title)}</h1><p class="lead">${t(about, { account, expires: exactTime(expires) })}</p><p class="code"><code>${code}</code></p><a class="button quiet" href="${next}">${t("house.back")}</a>`;
  return { title: t(title), body };
}

/** What a suspension or resumption left undone; empty for other actions. */
function leftUndone(id: ConsoleActionId, answer: unknown): readonly Html[] {
  if ((id !== "suspend" && id !== "resume") || !Value.Check(SuspensionDone, answer)) return [];
  const { accounts, is_complete: isComplete = true, sessions_ended: sessions } = answer;
  return [
    ...(isComplete ? [] : [t("act.not_asked")]),
    ...(accounts.length > 0 && sessions === undefined ? [t("act.not_ended")] : []),
  ];
}

function undonePage(id: ConsoleActionId, undone: readonly Html[], next: string): ConsolePage {
  const title = t("act.undone");
  const body = html`${doneLine(id)}<h1>${title}</h1>${undone.map((text) => html`<p class="lead">${text}</p>`)}<a class="button quiet" href="${next}">${t("house.back")}</a>`;
  return { title, body };
}

function actionOf({ request: { params } }: ConsoleVisit): ConsoleActionId | undefined {
  const id = String(Object(params).action);
  return isConsoleAction(id) ? id : undefined;
}

/** Whether it acts on one thing of an account. */
function needsItem(id: ConsoleActionId): boolean {
  const { target }: ConsoleAction = consoleActions[id];
  return target !== "account" && target !== "network";
}

/** The page from which the form came, which then shows the action that was carried out. */
function withDone(next: string, id: ConsoleActionId): string {
  const url = new URL(next, "http://console");
  url.searchParams.set("done", id);
  return `${url.pathname}${url.search}`;
}

/** Empty without an end, and for the general text. */
function suspensionIn(form: URLSearchParams): Pick<Deed, "lasts" | "text"> {
  const [lasts = "", text = ""] = ["lasts", "text"].map((name) => form.get(name)?.trim());
  return { lasts, text };
}

/** Undefined without a reason, a target, or the item that the action needs; and with an item that it does not need. */
function deedIn(form: URLSearchParams, id: ConsoleActionId): Deed | undefined {
  const [note = "", target = "", item = ""] = ["reason", "target", "item"].map((name) => form.get(name)?.trim());
  const isReason = note.length >= reasonLength.min && note.length <= reasonLength.max;
  if (!isReason || target === "" || needsItem(id) !== (item !== "")) return undefined;
  return {
    id,
    target,
    note,
    ...(item !== "" && { item }),
    ...(id === "suspend" && suspensionIn(form)),
  };
}

async function carryOut(
  deps: ConsolePagesDeps,
  { reply, operator }: ConsoleVisit,
  id: ConsoleActionId,
  form: URLSearchParams,
): Promise<PageAnswer> {
  const deed = deedIn(form, id);
  if (deed === undefined) return "reason";
  const next = pageWithin(deps.origin, form.get("next"));
  let answer: unknown;
  const outcome = await deps.act(operator, deed, (body) => void (answer = body));
  // Shown once, and therefore not behind a redirect.
  if (outcome === "done" && hasCode(id)) return codePage(id, answer, next);
  const undone = leftUndone(id, answer);
  if (outcome === "done") return undone.length > 0 ? undonePage(id, undone, next) : goTo(reply, withDone(next, id));
  const { error: reason }: { readonly error?: unknown } = Object(answer);
  if (outcome === "failed" && typeof reason === "string") return noticePage("failed", { reason });
  // The page keeps what was entered, and shows how to sign in again.
  return outcome === "proof" ? goTo(reply, linksOf(deps.handles, operator).kept(next, deed)) : outcome;
}

/** `POST /console/actions/{action}` */
export async function postAct(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const id = actionOf(visit);
  if (id === undefined) return "not_found";
  const form = ownForm(deps, visit);
  return form === undefined ? "form" : carryOut(deps, visit, id, form);
}
