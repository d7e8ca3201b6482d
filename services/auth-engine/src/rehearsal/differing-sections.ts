import type { Config } from "@postern/shared/platform/config";
import { fromLog, type RecordSource } from "./record-source.ts";

/** Sections that the replay applies. */
const replayed: ReadonlySet<string> = new Set(["policy", "controls"]);
/** What is to be done about a section that differs. */
const advice: Readonly<Record<string, string>> = {
  domains:
    "of the rules in the configuration, the served names, enabled and protocols are replayed; those of a source are not",
  backchannel: "what API callers may do is not replayed",
  backends: "only whether accounts are known there can be looked up",
  risk: "it is replayed by postern risk replay",
};

type Controls = Config["auth"]["controls"];

const usual = "its effect is not replayed";
/** Of the counters and of TLS, which a log has. */
const needsLog = "the history does not say what it depends on: rehearse it with the log of a gateway";

/** Keys with different values. Secrets are serialised as a mask, so a change of one alone is not seen. */
function differing(before: object, after: object): readonly string[] {
  const others = new Map(Object.entries(after));
  return Object.entries(before)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(others.get(name)))
    .map(([name]) => name);
}

/** Limits of a gateway, for API callers and addresses. A request above them is answered before it is decided about, and is not in the log. */
function limitsOf({ runtime }: Config): object {
  return { rate_limit: runtime.servers.http.rate_limit };
}

/** The names of the rules of brute-force protection that differ, if it has any. */
function rulesIn(name: string, before: Controls, after: Controls): string {
  if (name !== "brute_force") return "";
  const ofRule = ({ brute_force: { buckets } }: Controls) => Object.fromEntries(buckets.map((one) => [one.name, one]));
  const [old, next] = [ofRule(before), ofRule(after)];
  const rules = [...new Set([...differing(old, next), ...differing(next, old)])];
  return rules.length === 0 ? "" : ` (${rules.join(", ")})`;
}

const isOn = ({ enabled }: Controls, name: string): boolean => enabled.some((one) => one === name);

/** Controls that differ and could be replayed from a log, but not from this source. */
export function unjudgedControls(old: Config, next: Config, source: RecordSource): readonly string[] {
  const [before, after] = [old.auth.controls, next.auth.controls];
  return [...fromLog.controls]
    .filter((name) => !source.controls.has(name))
    .filter((name) => isOn(before, name) || isOn(after, name))
    .filter((name) => isOn(before, name) !== isOn(after, name) || differing(before, after).includes(name))
    .map((name) => `auth.controls.${name} differs${rulesIn(name, before, after)}: ${needsLog}`);
}

/** Sections that differ and are not replayed, each with what that means. */
export function differingSections(old: Config, next: Config, source: RecordSource): readonly string[] {
  const [{ auth: before }, { auth: after }] = [old, next];
  const limits = differing(limitsOf(old), limitsOf(next)).map(
    (name) => `runtime.servers.http.${name} differs: limits of API callers are not replayed`,
  );
  const controls = differing(before.controls, after.controls)
    .filter((name) => name !== "enabled" && !fromLog.controls.has(name))
    .map((name) => `auth.controls.${name} differs: ${usual}`);
  const sections = differing(before, after)
    .filter((name) => !replayed.has(name))
    .map((name) => `auth.${name} differs: ${advice[name] ?? usual}`);
  const switched = ["rbl", "lua"]
    .filter((name) => before.controls.enabled.includes(name) !== after.controls.enabled.includes(name))
    .map((name) => `auth.controls.enabled differs in ${name}: ${usual}`);
  return [...sections, ...unjudgedControls(old, next, source), ...controls, ...switched, ...limits];
}
