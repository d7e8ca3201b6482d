import { pathTo } from "@postern/shared/contracts";
import { writtenTag } from "@postern/shared/domain/localisation";
import { type FormView, formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { moment } from "../moments.ts";
import { changeLink, listOf, sampleForm } from "../parts.ts";
import type { TextKey } from "../texts.ts";
import { type BackView, sampleBack, wayBack } from "./enrolment.ts";

export interface ShownSignIn {
  readonly atMs: number;
  /** ISO 3166-1 code; empty if unknown. */
  readonly country: string;
  /** Family of the mail client; empty if unknown. */
  readonly client: string;
  readonly protocol: string;
  readonly isRefused: boolean;
  /** Target of the form that confirms it; undefined if this browser cannot. */
  readonly confirm: string | undefined;
}

export interface SuspiciousSignInsView extends FormView, BackView {
  readonly signIns: readonly ShownSignIn[];
  /** Page that lists the account's second factors, where an attacker may have added some; undefined if there is nothing to check. */
  readonly factors: string | undefined;
}

/** The name of a country in the reader's language. */
export function countryName(country: string, { language, text }: Look): string {
  if (country === "") return text("review.unknown_place");
  return new Intl.DisplayNames(writtenTag(language.tag), { type: "region", fallback: "code" }).of(country) ?? country;
}

/** A mail program with its protocol, or the protocol alone. */
export function programName({ client, protocol }: Pick<ShownSignIn, "client" | "protocol">): string {
  const name = protocol.toUpperCase();
  return client === "" ? name : `${client.charAt(0).toUpperCase()}${client.slice(1)} (${name})`;
}

function itemOf(signIn: ShownSignIn, csrfToken: string, look: Look): Html {
  const { text } = look;
  const { atMs, country, isRefused, confirm } = signIn;
  const place = countryName(country, look);
  return html`<b>${place}</b>
<span>${text("review.time")} ${moment(atMs, look)}</span>
<span>${text("review.program")} <bdi>${programName(signIn)}</bdi></span>
${isRefused && html`<span>${text("review.refused")}</span>`}
${
  confirm !== undefined &&
  html`<form method="post" action="${confirm}" class="inline"><input type="hidden" name="csrf_token" value="${csrfToken}"><button type="submit" class="quiet">${text(
    "review.mine",
  )}<span class="hidden"> ${place}</span></button></form>`
}`;
}

/** A question needs something that it is about. */
function titleOf({ signIns }: SuspiciousSignInsView): TextKey {
  return signIns.length === 0 ? "review.none_title" : "review.title";
}

/** "Was this you?" */
export const suspiciousSignInsPage: Page<SuspiciousSignInsView> = {
  name: "suspicious_sign_ins",
  scripts: ["page"],
  title: (view, { text }) => text(titleOf(view)),
  body: (view, look) => {
    const { text } = look;
    const { signIns, csrfToken, factors } = view;
    const cannotConfirm = signIns.some(({ confirm }) => confirm === undefined);
    return html`<h1>${text(titleOf(view))}</h1>
<p class="lead">${text(signIns.length === 0 ? "review.none" : "review.intro")}</p>
${listOf(signIns.map((one) => itemOf(one, csrfToken, look)))}
${cannotConfirm && html`<p>${text("review.how_to_confirm")}</p>`}
${signIns.length > 0 && html`<p>${text("review.not_mine_text")}</p>`}
${signIns.length > 0 && formOf(view, html`<button type="submit" class="danger">${text("review.not_mine")}</button>`)}
${changeLink(look, signIns.length > 0)}
${
  factors !== undefined &&
  html`<p>${text("review.check_text")}</p>
<a class="button quiet" href="${factors}">${text("review.check")}</a>`
}
${wayBack(view, text)}`;
  },
  sample: {
    ...sampleForm(pathTo("secureAccount")),
    signIns: [
      { atMs: 1_795_000_000_000, country: "BR", client: "", protocol: "smtp", isRefused: true, confirm: "#confirm" },
      {
        atMs: 1_794_990_000_000,
        country: "FR",
        client: "thunderbird",
        protocol: "imap",
        isRefused: false,
        confirm: undefined,
      },
    ],
    factors: undefined,
    ...sampleBack,
  },
};
