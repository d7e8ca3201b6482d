import type { Explanation, RiskExplanation } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { sentenceHtml } from "../texts/messages.ts";
import { joined, known, t, word } from "../texts/texts.ts";
import { stateBadge } from "./house/badge.ts";
import { newCountrySentence } from "./search/doubts.ts";
import { exactTime, placeText, type SubjectLinks, time } from "./shown-values.ts";
import { incompleteText } from "./verdict-part.ts";

type SignIn = RiskExplanation["sign_ins"][number];

/** `new_country: NG is new` is stored: a signal, and its reason in English, which the catalogue has for those of today's engines. */
function signalText(signal: string): Html {
  const [name = "", ...rest] = signal.split(": ");
  const reason = rest.join(": ");
  const unknown = html`<span lang="en" dir="ltr">${reason}</span>`;
  return joined([word("signal", name), reason !== "" && known(`signal_reason.${name}`, reason, unknown)], ": ");
}

/** What was done about it, and what `enforce` would have done. */
function outcomeOf({ refused, refusal, mode, responses = [] }: SignIn): Html {
  const reason = word("refusal", refusal);
  if (refused) return refusal === "" ? t("risk.refused") : t("risk.refused_because", { reason });
  if (refusal !== "") return t("risk.would_refuse", { reason });
  // Earlier versions did not record the mode.
  const allowed = mode === undefined || mode === "enforce" ? t("risk.allowed") : t("risk.allowed_too");
  const listed = joined(responses.map((one) => word("response", one)));
  return responses.length === 0 ? allowed : html`${allowed} ${t("risk.responses", { responses: listed })}`;
}

function item(links: SubjectLinks, signIn: SignIn): Html {
  const { level, score, protocol, client, signals, session, time: at, refused } = signIn;
  const through = [protocol, client].filter((part) => part !== "").join(", ");
  return html`<li class="${refused ? "denied" : "undecided"}">${stateBadge(level)} ${t("risk.sign_in", {
    time: time(at),
    score,
    place: placeText(signIn) ?? t("risk.no_place"),
    program: through === "" ? t("risk.no_program") : through,
  })}<small>${joined(signals.map(signalText), ". ")}.</small><small>${outcomeOf(
    signIn,
  )}</small><small>${t("notice.reference", { reference: html`<a href="${links.search(session)}"><code>${session.slice(0, 13)}</code></a>` })}</small></li>`;
}

/** While engines are learning an account, an empty list says nothing about it. */
function learning({ since, is_learned: isLearned }: Pick<RiskExplanation, "since" | "is_learned">): Html | false {
  if (since === undefined) return html` ${t("risk.nothing_known")}`;
  return !isLearned && html` ${t("risk.learning", { time: exactTime(since) })}`;
}

/** Says of the doubt in the answer why it is not in the list. */
function noneScored(risk: RiskExplanation, { doubts }: Pick<Explanation, "doubts">, nowMs: number): Html {
  const first = doubts?.new_country;
  return html`${first !== undefined && html`<p>${sentenceHtml([newCountrySentence(first, nowMs)], "")}</p>`}<p>${t("risk.none_scored")}${risk.mode !== "off" && learning(risk)}</p>`;
}

/** Suspicious sign-ins and the responses to them. Engines store digests of networks only, so no address can be shown. */
export function suspiciousPart(
  { links, nowMs }: { readonly links: SubjectLinks; readonly nowMs: number },
  risk: RiskExplanation,
  explanation: Pick<Explanation, "doubts">,
): Html {
  const { mode, hold, sign_ins: found, incomplete } = risk;
  return html`<h2>${t("risk.title")}</h2>${
    mode === "off" ? html`<p class="lead">${t("risk.off")}</p>` : html`<p class="lead">${t("risk.about", { mode })}</p>`
  }${
    hold !== undefined && html`<p>${t("risk.hold", { kind: word("held", hold.kind), time: exactTime(hold.until) })}</p>`
  }${incomplete.map((missing) => html`<p class="note">${incompleteText(missing)}</p>`)}${
    found.length === 0
      ? noneScored(risk, explanation, nowMs)
      : html`<ol class="timeline">${found.map((signIn) => item(links, signIn))}</ol>`
  }`;
}
