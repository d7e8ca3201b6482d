import { addToSketch, countOfSketch, isSketch, type Sketch } from "./sketch.ts";

/** How a network met an account; `strange`: with the correct password, although the account did not know the network. */
export type Meeting = "right" | "wrong" | "strange";

/** Accounts that a network met, in this hour and the one before. */
export interface SourceFacts {
  readonly hour: number;
  readonly right: Sketch;
  readonly wrong: Sketch;
  readonly rightBefore: Sketch;
  readonly wrongBefore: Sketch;
  /** Earlier versions drop both. */
  readonly strange: Sketch;
  readonly strangeBefore: Sketch;
}

export const minutesPerHour = 60;
export const hourOf = (minute: number): number => Math.floor(minute / minutesPerHour);

/** Only the last hour and the one before count. */
function atHour(facts: SourceFacts | undefined, hour: number): SourceFacts {
  const empty = { hour, right: "", wrong: "", strange: "", rightBefore: "", wrongBefore: "", strangeBefore: "" };
  if (facts === undefined || facts.hour < hour - 1) return empty;
  if (facts.hour >= hour) return facts;
  return { ...empty, rightBefore: facts.right, wrongBefore: facts.wrong, strangeBefore: facts.strange };
}

/** Returns the object itself if nothing changed. */
export function noteAccountOfSource(
  facts: SourceFacts | undefined,
  { account, meeting, minute }: { readonly account: string; readonly meeting: Meeting; readonly minute: number },
): SourceFacts {
  const now = atHour(facts, hourOf(minute));
  const sketch = addToSketch(now[meeting], account);
  return sketch === now[meeting] ? now : { ...now, [meeting]: sketch };
}

/** Numbers of accounts of the network, each as the larger of the two hours. */
export function accountsOfSource(facts: SourceFacts | undefined, minute: number): Readonly<Record<Meeting, number>> {
  if (facts === undefined) return { right: 0, wrong: 0, strange: 0 };
  const { right, wrong, strange, rightBefore, wrongBefore, strangeBefore } = atHour(facts, hourOf(minute));
  return {
    right: Math.max(countOfSketch(right), countOfSketch(rightBefore)),
    wrong: Math.max(countOfSketch(wrong), countOfSketch(wrongBefore)),
    strange: Math.max(countOfSketch(strange), countOfSketch(strangeBefore)),
  };
}

export function encodeSourceFacts(facts: SourceFacts): string {
  const { hour, right, wrong, rightBefore, wrongBefore, strange, strangeBefore } = facts;
  return ["1", hour.toString(36), right, wrong, rightBefore, wrongBefore, strange, strangeBefore].join("!");
}

/** Undefined for a value that this version did not write. */
export function decodeSourceFacts(value: string): SourceFacts | undefined {
  const [form, at = "", right = "", wrong = "", rightBefore = "", wrongBefore = "", strange = "", strangeBefore = ""] =
    value.split("!");
  const hour = Number.parseInt(at, 36);
  if (form !== "1" || !Number.isSafeInteger(hour)) return undefined;
  const facts = { hour, right, wrong, rightBefore, wrongBefore, strange, strangeBefore };
  return [right, wrong, rightBefore, wrongBefore, strange, strangeBefore].every(isSketch) ? facts : undefined;
}
