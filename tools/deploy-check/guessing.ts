import { at, broken, listAt } from "./tree.ts";

const controls = ["auth", "controls"] as const;

/** Problems of the brute-force protection in a complete configuration, as written in its file. */
export function checkGuessing(file: string, tree: unknown): readonly string[] {
  const buckets = listAt(tree, ...controls, "brute_force", "buckets");
  const lengths = (family: string): readonly unknown[] =>
    buckets.filter((bucket) => at(bucket, family) === true).map((bucket) => at(bucket, "cidr"));
  return broken(file, [
    ["auth.controls.enabled names brute_force", listAt(tree, ...controls, "enabled").includes("brute_force")],
    ["all protocols are protected", listAt(tree, ...controls, "brute_force", "protocols").length === 0],
    ["a rule is for IPv4", lengths("ipv4").length > 0],
    ["a rule is for IPv6 networks of one customer, /64", lengths("ipv6").includes(64)],
    ["a wider rule is for IPv6 networks of one site, /48", lengths("ipv6").includes(48)],
  ]);
}

/** Checks a part of a configuration: a list of controls in it would disable the protection. */
export function checkFragment(file: string, tree: unknown): readonly string[] {
  const enabled = listAt(tree, ...controls, "enabled");
  const keeps = enabled.length === 0 || enabled.includes("brute_force");
  return broken(file, [["a list of controls names brute_force", keeps]]);
}
