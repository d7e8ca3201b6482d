import { type AddressPlace, pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { dayText, moment } from "../moments.ts";
import { changeLink, listOf, reviewChoice, sampleForm } from "../parts.ts";
import { type BackView, sampleBack, wayBack } from "./enrolment.ts";
import { countryName, programName } from "./suspicious-sign-ins.ts";

export interface RecentSignIn {
  /** Time of the latest one. */
  readonly atMs: number;
  readonly count: number;
  /** Name of the mail program; empty if unknown. */
  readonly program: string;
  readonly protocol: string;
  readonly isBrowser: boolean;
  readonly clientIp: string;
  readonly place: AddressPlace;
  readonly result: "ok" | "wrong" | "second_step" | "denied" | "undecided";
  /** Ordinary sign-ins by day (a number of days since the epoch), the latest first. */
  readonly days: readonly { readonly day: number; readonly count: number }[];
}

export interface RecentSignIns {
  /** Successes by program and network, the latest first. */
  readonly successes: readonly RecentSignIn[];
  readonly failures: readonly RecentSignIn[];
}

export interface RecentSignInsView extends FormView, BackView {
  /** Undefined: the site does not record sign-ins. */
  readonly signIns: RecentSignIns | undefined;
  /** Number of suspicious sign-ins that the user has neither confirmed nor rejected. */
  readonly suspicious: number;
  /** The page that lists them. */
  readonly review: string;
}

const dayMs = 86_400_000;
const chartDays = 30;
const chartHeight = 24;

function placeName({ place }: RecentSignIn, look: Look): Html {
  const { country = "", owner = "" } = place;
  return html`${countryName(country, look)}${owner !== "" && html`, <bdi>${owner}</bdi>`}`;
}

/** The days up to that of the latest sign-in, as bars; the list beside them has the numbers. */
function dayBars(days: RecentSignIn["days"]): Html {
  const latest = days[0]?.day ?? 0;
  const highest = Math.max(1, ...days.map(({ count }) => count));
  const path = days
    .filter(({ day }) => latest - day < chartDays)
    .map(({ day, count }) => {
      const x = (chartDays - 1 - (latest - day)) * 8;
      const tall = Math.max(3, Math.round((chartHeight * count) / highest));
      return `M${x} ${chartHeight}v-${tall}h6v${tall}z`;
    })
    .join("");
  return html`<svg width="240" height="${chartHeight}" viewBox="0 0 240 ${chartHeight}" aria-hidden="true"><path fill="currentColor" d="${path}"/></svg>`;
}

function daysPart({ days }: RecentSignIn, look: Look): Html | false {
  return (
    days.length > 0 &&
    html`<details><summary>${look.text("recent.days")}</summary>${dayBars(days)}<ul>${days.map(
      ({ day, count }) => html`<li>${dayText(day * dayMs, look)}: ${count}</li>`,
    )}</ul></details>`
  );
}

function itemOf(signIn: RecentSignIn, look: Look): Html {
  const { text } = look;
  const { atMs, count, program, protocol, isBrowser, clientIp, result } = signIn;
  const name = isBrowser ? text("recent.browser") : programName({ client: program, protocol });
  const isOk = result === "ok";
  return html`<b>${isOk ? html`<bdi>${name}</bdi>` : html`${text(`recent.${result}`)}${count > 1 && ` (${count}×)`}`}</b>
${!isOk && html`<span>${text("review.program")} <bdi>${name}</bdi></span>`}
<span>${placeName(signIn, look)}</span>
<span>${text(isOk ? "list.last_used" : "review.time")} ${moment(atMs, look)}</span>
${clientIp !== "" && html`<span>${text("sessions.from")} <bdi>${clientIp}</bdi></span>`}
${isOk && html`<span>${text("recent.count", { count: String(count) })}</span>`}
${daysPart(signIn, look)}`;
}

function listsOf({ successes, failures }: RecentSignIns, look: Look): Html {
  const { text } = look;
  const list = (signIns: readonly RecentSignIn[]) => listOf(signIns.map((one) => itemOf(one, look)));
  return html`${successes.length + failures.length === 0 && html`<p>${text("recent.none")}</p>`}
${list(successes)}
${failures.length > 0 && html`<h2>${text("recent.refused")}</h2>${list(failures)}`}`;
}

/** What signed in to the account, from where and when, as far as it is recorded. */
export const recentSignInsPage: Page<RecentSignInsView> = {
  name: "recent_sign_ins",
  scripts: ["page"],
  title: (_view, { text }) => text("recent.title"),
  body: (view, look) => {
    const { text } = look;
    const { signIns, suspicious, review } = view;
    return html`<h1>${text("recent.title")}</h1>
<p class="lead">${text(signIns === undefined ? "recent.off" : "recent.intro")}</p>
${reviewChoice(review, suspicious, text)}
${signIns !== undefined && listsOf(signIns, look)}
${
  signIns !== undefined &&
  html`<h2>${text("review.title")}</h2><p>${text("review.not_mine_text")}</p>${formOf(view, html`<button type="submit" class="danger">${text("review.not_mine")}</button>`)}${changeLink(look, true)}`
}
${wayBack(view, text)}`;
  },
  sample: {
    ...sampleForm(pathTo("secureAccount")),
    signIns: {
      successes: [
        {
          atMs: 1_795_000_000_000,
          count: 78,
          program: "Thunderbird",
          protocol: "imap",
          isBrowser: false,
          clientIp: "192.0.2.7",
          place: { country: "FR", system: 64_500, owner: "Example Cable" },
          result: "ok",
          days: Array.from({ length: 12 }, (_, index) => ({ day: 20_775 - index, count: 3 + ((index * 5) % 8) })),
        },
        {
          atMs: 1_794_990_000_000,
          count: 2,
          program: "",
          protocol: "oidc",
          isBrowser: true,
          clientIp: "2001:db8::7",
          place: {},
          result: "ok",
          days: [],
        },
      ],
      failures: [
        {
          atMs: 1_794_900_000_000,
          count: 4,
          program: "",
          protocol: "smtp",
          isBrowser: false,
          clientIp: "198.51.100.7",
          place: { country: "BR" },
          result: "wrong",
          days: [],
        },
      ],
    },
    suspicious: 1,
    review: "#review",
    ...sampleBack,
  },
};
