import { addToSketch, countOfSketch, isSketch, type Sketch } from "./sketch.ts";

/** Accounts that a network met, in this hour and the one before: with the correct password, and with wrong ones. */
export interface SourceFacts {
  readonly hour: number;
  readonly right: Sketch;
  readonly wrong: Sketch;
  readonly rightBefore: Sketch;
  readonly wrongBefore: Sketch;
}

export const minutesPerHour = 60;
export const hourOf = (minute: number): number => Math.floor(minute / minutesPerHour);

/** Only the last hour and the one before count. */
function atHour(facts: SourceFacts | undefined, hour: number): SourceFacts {
  const empty = { hour, right: "", wrong: "", rightBefore: "", wrongBefore: "" };
  if (facts === undefined || facts.hour < hour - 1) return empty;
  if (facts.hour >= hour) return facts;
  return { ...empty, rightBefore: facts.right, wrongBefore: facts.wrong };
}

/** The same object if nothing changed. */
export function noteAccountOfSource(
  facts: SourceFacts | undefined,
  { account, isRight, minute }: { readonly account: string; readonly isRight: boolean; readonly minute: number },
): SourceFacts {
  const now = atHour(facts, hourOf(minute));
  const which = isRight ? "right" : "wrong";
  const sketch = addToSketch(now[which], account);
  return sketch === now[which] ? now : { ...now, [which]: sketch };
}

/** Accounts of the network, each as the larger of the two hours. */
export function accountsOfSource(
  facts: SourceFacts | undefined,
  minute: number,
): { readonly right: number; readonly wrong: number } {
  if (facts === undefined) return { right: 0, wrong: 0 };
  const { right, wrong, rightBefore, wrongBefore } = atHour(facts, hourOf(minute));
  return {
    right: Math.max(countOfSketch(right), countOfSketch(rightBefore)),
    wrong: Math.max(countOfSketch(wrong), countOfSketch(wrongBefore)),
  };
}

export function encodeSourceFacts({ hour, right, wrong, rightBefore, wrongBefore }: SourceFacts): string {
  return ["1", hour.toString(36), right, wrong, rightBefore, wrongBefore].join("!");
}

/** Undefined for a value that this version did not write. */
export function decodeSourceFacts(value: string): SourceFacts | undefined {
  const [form, at = "", right = "", wrong = "", rightBefore = "", wrongBefore = ""] = value.split("!");
  const hour = Number.parseInt(at, 36);
  if (form !== "1" || !Number.isSafeInteger(hour)) return undefined;
  return [right, wrong, rightBefore, wrongBefore].every(isSketch)
    ? { hour, right, wrong, rightBefore, wrongBefore }
    : undefined;
}
