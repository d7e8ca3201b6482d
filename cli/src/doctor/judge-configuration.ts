import type { Config, Problem } from "@postern/shared/platform/config";
import { type Finding, findingsOf } from "./finding.ts";

const advice = ({ path, hint }: Problem): string => hint ?? `change it; postern config explain ${path}`;

/** Problems and warnings of `config check`. */
export function configurationFindings(problems: readonly Problem[], warnings: readonly Problem[]): readonly Finding[] {
  const { problem, warning } = findingsOf("configuration");
  return [
    ...problems.map((one) => problem(`${one.path}: ${one.reason}`, advice(one))),
    ...warnings.map((one) => warning(`${one.path}: ${one.reason}`, advice(one))),
  ];
}

function judgeGuessing({ auth }: Config): readonly Finding[] {
  const { enabled, brute_force: bruteForce } = auth.controls;
  const { problem, warning } = findingsOf("guessing protection");
  if (!enabled.includes("brute_force"))
    return [
      problem("off: passwords can be guessed without limit", "add brute_force to auth.controls.enabled, with buckets"),
    ];
  const misses = (["ipv4", "ipv6"] as const).filter((family) => !bruteForce.buckets.some((rule) => rule[family]));
  const observes = bruteForce.mode === "observe";
  return [
    ...(observes
      ? [
          warning(
            "observes only: bans refuse nobody",
            "set auth.controls.brute_force.mode to enforce once the rules fit",
          ),
        ]
      : []),
    ...misses.map((family) =>
      warning(`no rule counts ${family} addresses`, "add a bucket to auth.controls.brute_force.buckets"),
    ),
  ];
}

function judgeProxies({ runtime, identity }: Config): readonly Finding[] {
  const { trusted_proxies: proxies, frontend_address: pages } = runtime.servers.http;
  if (proxies.length > 0 || !identity.frontend.enabled || pages.length === 0) return [];
  const found = "none: behind a reverse proxy, all browsers have the proxy's address and are banned together";
  return [
    findingsOf("trusted proxies").warning(
      found,
      "add the proxy to runtime.servers.http.trusted_proxies, if there is one",
    ),
  ];
}

/** Users of the sign-in pages add second factors; these need a place in the backend. */
function judgeFactors({ auth, identity }: Config): readonly Finding[] {
  const { order, ldap } = auth.backends;
  if (!identity.frontend.enabled || !order.some((entry) => /^ldap\b/u.test(entry))) return [];
  const without = ldap.search.filter(
    ({ protocol, mapping: { totp_secret_field: totp, webauthn_credential_field: passkeys } }) =>
      protocol.some((name) => name === "idp" || name === "oidc") && totp === "" && passkeys === "",
  );
  return without.map(({ cache_name: name }) =>
    findingsOf(`second factors of ${name}`).warning(
      "none: mapping names no attribute for TOTP secrets or passkeys",
      "load ldap/postern.ldif of the examples into the server, and set the keys in Second factors of docs/connect/ldap.md",
    ),
  );
}

function judgeMode({ runtime }: Config): readonly Finding[] {
  if (!runtime.developer_mode) return [];
  const found = "on: developer pages are served, and safeguards are off";
  return [findingsOf("developer mode").problem(found, "set runtime.developer_mode to false")];
}

/** What works and is not what a production site wants. */
export function judgeConfiguration(config: Config): readonly Finding[] {
  return [...judgeGuessing(config), ...judgeProxies(config), ...judgeFactors(config), ...judgeMode(config)];
}
