import type { RiskExplanation } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type SubjectLinks, time } from "./shown-values.ts";

type SignIn = RiskExplanation["sign_ins"][number];

const signalWords: Readonly<Record<string, string>> = {
  new_source: "New network",
  new_country: "New country",
  new_client: "New program",
  impossible_travel: "Too far from the last sign-in",
  many_countries: "Many countries",
  many_systems: "Many providers",
  many_submissions: "Much mail from unknown networks",
  scattered_submissions: "Mail from many unknown networks",
  guessed_account: "The password was guessed before",
  spraying_source: "The network guesses passwords",
  strange_accounts: "The network is new to many accounts",
  listed_network: "Network of bad reputation",
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

const countries = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

function placeOf({ country, system }: SignIn): string {
  const name = /^[A-Z]{2}$/u.test(country) ? countries.of(country) : country;
  const known = [name ?? "", system === 0 ? "" : `AS${system}`].filter((part) => part !== "");
  return known.length === 0 ? "an unknown place" : known.join(", ");
}

/** `new_country: NG is new` is stored. */
function signalText(signal: string): string {
  const [name = "", ...reason] = signal.split(": ");
  const words = signalWords[name] ?? name;
  return reason.length === 0 ? words : `${words}: ${reason.join(": ")}`;
}

/** What was done about it, and what `enforce` would have done. */
function outcomeOf({ refused, refusal, mode, responses }: SignIn): string {
  const because = refusal === "" ? "" : ` (${refusalWords[refusal] ?? refusal})`;
  const listed = (responses ?? []).map((one) => responseWords[one] ?? one).join(", ");
  if (refused) return `It was refused${because}.`;
  if (refusal !== "") return `It was not refused. With enforce, it would have been${because}.`;
  const also =
    listed === "" ? "" : ` The responses to its level ${mode === "enforce" ? "are" : "would be"}: ${listed}.`;
  // Earlier versions did not record the mode.
  if (mode === undefined || mode === "enforce") return `It was not refused.${also}`;
  return `It was not refused, and would not have been with enforce.${also}`;
}

function item(links: SubjectLinks, signIn: SignIn): Html {
  const { level, score, protocol, client, signals, session, time: at, refused } = signIn;
  const through = [protocol, client].filter((part) => part !== "").join(", ");
  return html`<li class="${refused ? "denied" : "undecided"}">${time(at)} <b>${level}</b>, score ${score}: from ${placeOf(
    signIn,
  )} by ${through === "" ? "an unknown program" : through}<small>${signals.map(signalText).join(". ")}.</small><small>${outcomeOf(
    signIn,
  )}</small><small>Reference <a href="${links.search(session)}"><code>${session.slice(0, 13)}</code></a></small></li>`;
}

const holds: Readonly<Record<string, string>> = { mail: "Mail programs", submission: "Mail submission" };

/** What engines have doubted, and what was done about it. They keep digests of networks, so that no address is here. */
export function suspiciousPart(
  links: SubjectLinks,
  { mode, hold, sign_ins: found, incomplete }: RiskExplanation,
): Html {
  return html`<h2>Suspicious sign-ins</h2>${
    mode === "off"
      ? html`<p class="lead">Sign-ins are not scored: auth.risk.mode is off.</p>`
      : html`<p class="lead">Sign-ins with the correct password that look like those of someone else, in the last seven days, unless the user has said whose they were. The mode is ${mode}.</p>`
  }${
    hold !== undefined &&
    html`<p>${holds[hold.kind] ?? hold.kind} from new networks: refused until ${time(hold.until)}. Flushing the account ends this.</p>`
  }${incomplete.map((missing) => html`<p class="note">Incomplete: ${missing}.</p>`)}${
    found.length === 0
      ? html`<p>None.</p>`
      : html`<ol class="timeline">${found.map((signIn) => item(links, signIn))}</ol>`
  }`;
}
