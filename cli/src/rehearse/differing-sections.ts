import type { Config } from "@postern/shared/platform/config";

/** Sections that the replay applies. */
const replayed: ReadonlySet<string> = new Set(["policy", "controls"]);
const replayedControls: ReadonlySet<string> = new Set(["enabled", "brute_force", "tls_encryption", "relay_domains"]);

/** What is to be done about a section that differs. */
const advice: Readonly<Record<string, string>> = {
  backchannel: "what API callers may do is not replayed",
  backends: "another backend may answer otherwise, and cannot be replayed without look-ups",
  risk: "it is replayed by postern risk replay",
};

const usual = "its effect is not replayed";

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

/** Sections that differ and are not replayed, each with what that means. */
export function differingSections(old: Config, next: Config): readonly string[] {
  const [{ auth: before }, { auth: after }] = [old, next];
  const limits = differing(limitsOf(old), limitsOf(next)).map(
    (name) => `runtime.servers.http.${name} differs: limits of API callers are not replayed`,
  );
  const controls = differing(before.controls, after.controls)
    .filter((name) => !replayedControls.has(name))
    .map((name) => `auth.controls.${name} differs: ${usual}`);
  const sections = differing(before, after)
    .filter((name) => !replayed.has(name))
    .map((name) => `auth.${name} differs: ${advice[name] ?? usual}`);
  const switched = ["rbl", "lua"]
    .filter((name) => before.controls.enabled.includes(name) !== after.controls.enabled.includes(name))
    .map((name) => `auth.controls.enabled differs in ${name}: ${usual}`);
  return [...sections, ...controls, ...switched, ...limits];
}
