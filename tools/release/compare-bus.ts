import { compileCheck } from "@postern/shared/platform/bus";
import { decodeMessage, encodeMessage, type RecordedBus } from "./bus-messages.ts";
import { type Schema, samplesOf } from "./message-samples.ts";

/** What `receiver` rejects of the values that `sender` allows; at most the first reason. */
function rejected(sender: Schema, receiver: Schema): string | undefined {
  const check = compileCheck(receiver);
  const value = samplesOf(sender).find((one) => !check.accepts(one));
  return value === undefined ? undefined : check.explain(value);
}

function differenceOf(name: string, old: Schema, now: Schema): readonly string[] {
  const toNew = rejected(old, now);
  const toOld = rejected(now, old);
  return [
    ...(toNew === undefined ? [] : [`${name}: the tree rejects a message of the last release: ${toNew}`]),
    ...(toOld === undefined ? [] : [`${name}: the last release rejects a message of the tree: ${toOld}`]),
  ];
}

/** Messages that the codec of the tree reads or writes in another way. */
function codecProblems(name: string, schema: Schema, messages: readonly string[]): readonly string[] {
  const check = compileCheck(schema);
  const isKept = (text: string): boolean => {
    const value = decodeMessage(text);
    return check.accepts(value) && encodeMessage(value) === text;
  };
  return messages.every(isKept) ? [] : [`${name}: a recorded message has another encoding in the tree`];
}

/** Why services of the last release and of the tree cannot work together; empty if they can. New messages are no problem. */
export function busProblems(last: RecordedBus, tree: Readonly<Record<string, Schema>>): readonly string[] {
  return Object.entries(last.schemas).flatMap(([name, old]) => {
    const now = tree[name];
    if (now === undefined) return [`${name}: is missing in the tree, but services of ${last.version} use it`];
    return [...differenceOf(name, old, now), ...codecProblems(name, old, last.messages[name] ?? [])];
  });
}
