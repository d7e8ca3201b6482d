import type { RiskExplanation } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { stateBadge } from "./house/badge.ts";
import { placeText } from "./place-text.ts";
import { exactTime, type SubjectLinks, time } from "./shown-values.ts";

type SignIn = RiskExplanation["sign_ins"][number];

const signalWords: Readonly<Record<string, string>> = {
  new_source: "New network",
  new_country: "New country",
  new_client: "New mail program or browser",
  impossible_travel: "Too far away to travel since the last sign-in",
  many_countries: "Many countries",
  many_systems: "Many network operators",
  many_submissions: "Many submissions from unknown networks",
  scattered_submissions: "Submissions from many unknown networks",
  guessed_account: "Others have been guessing the password",
  spraying_source: "The network guesses passwords of several accounts",
  strange_accounts: "The network is new to many accounts",
  listed_network: "Network with a bad reputation",
  leaked_password: "Leaked password",
  legacy_protocol: "Protocol without a second factor",
};

const responseWords: Readonly<Record<string, string>> = {
  notify: "notify the user",
  delay: "delay the response",
  second_factor: "require a second factor on the sign-in pages",
  hold_submission: "refuse mail submission from new networks for a time",
  hold_mail: "refuse mail programs in new networks for a time",
  deny: "refuse the sign-in",
};

const refusalWords: Readonly<Record<string, string>> = {
  deny: "such sign-ins are denied",
  second_factor: "the account has no second factor, which the sign-in pages require",
  hold_mail: "mail programs in new networks are refused for a time",
  hold_submission: "mail submission from new networks is refused for a time",
};

function placeOf(signIn: SignIn): string {
  const place = placeText(signIn);
  return place === "" ? "an unknown place" : place;
}

/** `new_country: NG is new` is stored. */
function signalText(signal: string): string {
  const [name = "", ...reason] = signal.split(": ");
  const words = signalWords[name] ?? name;
  return reason.length === 0 ? words : `${words}: ${reason.join(": ")}`;
}

/** What was done about it, and what `enforce` would have done. */
function outcomeOf({ refused, refusal, mode, responses }: SignIn): string {
  const because = refusal === "" ? "" : `: ${refusalWords[refusal] ?? refusal}`;
  if (refused) return `Refused${because}.`;
  if (refusal !== "") return `Allowed. With enforce, it would have been refused${because}.`;
  // Earlier versions did not record the mode.
  const allowed = mode === undefined || mode === "enforce" ? "Allowed." : "Allowed, as it would be with enforce.";
  const listed = (responses ?? []).map((one) => responseWords[one] ?? one).join(", ");
  return listed === "" ? allowed : `${allowed} Responses to this level: ${listed}.`;
}

function item(links: SubjectLinks, signIn: SignIn): Html {
  const { level, score, protocol, client, signals, session, time: at, refused } = signIn;
  const through = [protocol, client].filter((part) => part !== "").join(", ");
  return html`<li class="${refused ? "denied" : "undecided"}">${stateBadge(level)} ${time(at)}, score ${score}: from ${placeOf(
    signIn,
  )} with ${through === "" ? "an unknown program" : through}<small>${signals.map(signalText).join(". ")}.</small><small>${outcomeOf(
    signIn,
  )}</small><small>Reference <a href="${links.search(session)}"><code>${session.slice(0, 13)}</code></a></small></li>`;
}

const holds: Readonly<Record<string, string>> = { mail: "Mail programs", submission: "Mail submission" };

/** While engines are learning an account, an empty list says nothing about it. */
function learning({ since, is_learned: isLearned }: Pick<RiskExplanation, "since" | "is_learned">): Html | false {
  if (since === undefined) return html` Nothing is known of its sign-ins yet, so that nothing can be new to it.`;
  return (
    !isLearned &&
    html` The account is still being learned, and nothing is new to it: its sign-ins are known since ${exactTime(since)}.`
  );
}

/** Suspicious sign-ins and the responses to them. Engines store digests of networks only, so no address can be shown. */
export function suspiciousPart(links: SubjectLinks, risk: RiskExplanation): Html {
  const { mode, hold, sign_ins: found, incomplete } = risk;
  return html`<h2>Suspicious sign-ins</h2>${
    mode === "off"
      ? html`<p class="lead">Sign-ins are not scored, because auth.risk.mode is off.</p>`
      : html`<p class="lead">Sign-ins with the correct password in the last seven days that someone else may have made. Those that the user has confirmed or reported are not listed. Mode: ${mode}.</p>`
  }${
    hold !== undefined &&
    html`<p>${holds[hold.kind] ?? hold.kind} from new networks: refused until ${exactTime(hold.until)}. Flushing the account ends this.</p>`
  }${incomplete.map((missing) => html`<p class="note">Incomplete: ${missing}.</p>`)}${
    found.length === 0
      ? html`<p>None.${mode !== "off" && learning(risk)}</p>`
      : html`<ol class="timeline">${found.map((signIn) => item(links, signIn))}</ol>`
  }`;
}
