import { type Html, html, icons } from "@postern/shared/platform/pages";
import { word } from "../../texts/texts.ts";
import { noticeIcon } from "./console-icons.ts";

/** `plain`: neither good nor bad, or unknown. */
export type Mood = "good" | "warn" | "bad" | "plain";

const signs: Readonly<Record<Mood, Html>> = {
  good: icons.tick,
  warn: noticeIcon,
  bad: icons.cross,
  plain: icons.clock,
};

/** A state as icon, word and colour, so that none of them is needed to understand it. */
export const badge = (mood: Mood, label: Html): Html => html`<span class="badge ${mood}">${signs[mood]}${label}</span>`;

const moods: Readonly<Record<string, Mood>> = {
  ok: "good",
  up: "good",
  found: "good",
  delivered: "good",
  completed: "good",
  denied: "bad",
  blocked: "bad",
  failed: "bad",
  down: "bad",
  unavailable: "bad",
  disabled: "bad",
  problem: "bad",
  dangerous: "bad",
  degraded: "warn",
  starting: "warn",
  undecided: "warn",
  warning: "warn",
  suspicious: "warn",
};

/** The mood of a state of the management interface. */
export const moodOf = (state: string): Mood => moods[state] ?? "plain";

/** A state of the management interface. */
export const stateBadge = (state: string): Html => badge(moodOf(state), word("state", state));
