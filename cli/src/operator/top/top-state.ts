import type { Attacks } from "@postern/shared/contracts";
import { charactersOf } from "../paint.ts";

const topSorts = ["sources", "passwords", "name"] as const;
/** By addresses and failures, by wrong passwords and refusals, or by name. */
export type TopSort = (typeof topSorts)[number];

type Account = Attacks["accounts"][number];
type Network = Attacks["networks"][number];

export function accountsBy({ accounts }: Pick<Attacks, "accounts">, sort: TopSort): readonly Account[] {
  return accounts.toSorted((one, other) => {
    if (sort === "name") return one.account.localeCompare(other.account);
    if (sort === "sources") return other.addresses - one.addresses;
    return (other.wrong_passwords ?? 0) - (one.wrong_passwords ?? 0);
  });
}

export function networksBy({ networks }: Pick<Attacks, "networks">, sort: TopSort): readonly Network[] {
  return networks.toSorted((one, other) => {
    if (sort === "name") return one.network.localeCompare(other.network, "en", { numeric: true });
    if (sort === "sources") return other.failures - one.failures;
    return (other.refused ?? 0) - (one.refused ?? 0);
  });
}

/** What an operator has pressed so far. */
export interface TopState {
  readonly sort: TopSort;
  /** Number of the selected row when it was selected. */
  readonly selected: number;
  /** What the row is about: the selection stays with it when the rows are sorted anew. Undefined until a key has moved the selection. */
  readonly subject: string | undefined;
  readonly isPaused: boolean;
  /** The name that is being typed after `/`. */
  readonly typed: string | undefined;
  /** The account or network whose verdict is open. */
  readonly opened: string | undefined;
  /** Lines of the verdict that have been scrolled away. */
  readonly scrolled: number;
  readonly isOver: boolean;
}

export const firstState: TopState = {
  sort: "sources",
  selected: 0,
  subject: undefined,
  isPaused: false,
  typed: undefined,
  opened: undefined,
  scrolled: 0,
  isOver: false,
};

/** As `readline` reads it. */
export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
}

const longestName = 256;
const isTypable = /^[^\p{Cc}\p{Cs}]+$/u;

function typing(state: TopState, typed: string, { name, sequence = "" }: Key): TopState {
  if (name === "escape") return { ...state, typed: undefined };
  if (name === "backspace") return { ...state, typed: charactersOf(typed).slice(0, -1).join("") };
  if (name === "return" || name === "enter") {
    const opened = typed.trim();
    return { ...state, typed: undefined, scrolled: 0, ...(opened !== "" && { opened }) };
  }
  return isTypable.test(sequence) ? { ...state, typed: `${typed}${sequence}`.slice(0, longestName) } : state;
}

function reading(state: TopState, { name, sequence }: Key): TopState {
  if (name === "up" || sequence === "k") return { ...state, scrolled: Math.max(0, state.scrolled - 1) };
  if (name === "down" || sequence === "j") return { ...state, scrolled: state.scrolled + 1 };
  if (sequence === "q" || name === "escape" || name === "left" || name === "backspace")
    return { ...state, opened: undefined, scrolled: 0 };
  return state;
}

/** Number of the selected row among these; the nearest one if it is not there any more. */
export function selectedIn(
  { selected, subject }: Pick<TopState, "selected" | "subject">,
  rows: readonly string[],
): number {
  const at = subject === undefined ? -1 : rows.indexOf(subject);
  return at === -1 ? Math.max(0, Math.min(selected, rows.length - 1)) : at;
}

/** The selection after a key that moves it or opens it. */
function selecting(state: TopState, { name, sequence }: Key, rows: readonly string[]): TopState {
  const selected = selectedIn(state, rows);
  const moved = (to: number): TopState => ({ ...state, selected: to, subject: rows[to] });
  if (name === "up" || sequence === "k") return moved(Math.max(0, selected - 1));
  if (name === "down" || sequence === "j") return moved(Math.max(0, Math.min(rows.length - 1, selected + 1)));
  const opens = name === "return" || name === "enter" || name === "right";
  return opens ? { ...state, opened: rows[selected], scrolled: 0 } : state;
}

function choosing(state: TopState, key: Key, rows: readonly string[]): TopState {
  const { name, sequence } = key;
  if (sequence === "q") return { ...state, isOver: true };
  if (sequence === "s") {
    const sort = topSorts[(topSorts.indexOf(state.sort) + 1) % topSorts.length] ?? "sources";
    return { ...state, sort };
  }
  if (sequence === "p" || name === "space") return { ...state, isPaused: !state.isPaused };
  if (sequence === "/") return { ...state, typed: "" };
  return selecting(state, key, rows);
}

/** The state after a key. @param rows what can be opened, in the order of the rows */
export function pressed(state: TopState, key: Key, rows: readonly string[]): TopState {
  if (key.ctrl === true && (key.name === "c" || key.name === "d")) return { ...state, isOver: true };
  if (state.typed !== undefined) return typing(state, state.typed, key);
  return state.opened === undefined ? choosing(state, key, rows) : reading(state, key);
}
