import { recommendedGroups, recommendedSuites } from "../../net/tls-names.ts";
import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import { choice, duration, flag, integer, section, text, texts } from "./fields.ts";

export const ServerTls = section("TLS settings of this listener.", {
  enabled: flag("Whether the listener requires TLS instead of plain text."),
  cert: text("Path of the PEM file with the certificate chain."),
  key: text("Path of the PEM file with the private key."),
  ca_file: text(
    "Path of the PEM file with the CA certificates for client certificates. If set, every client of the back channel must present a certificate that one of them issued; without `frontend_address`, browsers use the same listener and must present one too.",
  ),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "Oldest TLS version that is accepted."),
  cipher_suites: texts(
    "Cipher suites of TLS 1.2, by their IANA names. The default is the list that RFC 9325 recommends. All suites of TLS 1.3 are accepted.",
    { default: [...recommendedSuites], minItems: 1 },
  ),
  curves: texts("Groups for the key exchange, in order of preference.", {
    default: [...recommendedGroups],
    minItems: 1,
  }),
});

/** TLS files of connections to the servers of a backend. */
export const clientTlsFiles = {
  tls_ca_cert: text(
    "Path of the PEM file with the trusted CA certificates. If empty, the public CAs of Node.js and those of runtime.outgoing_tls.ca_file are trusted.",
  ),
  tls_client_cert: text("Path of the PEM file with Postern's client certificate."),
  tls_client_key: text("Path of the PEM file with the private key of the client certificate."),
};

export const ClientTls = section("TLS settings of the connection to this server.", {
  enabled: flag("Whether the connection uses TLS."),
  ca_file: clientTlsFiles.tls_ca_cert,
  cert: clientTlsFiles.tls_client_cert,
  key: clientTlsFiles.tls_client_key,
  skip_verify: flag(
    "Whether any server certificate is accepted. For tests only, because the connection is then open to interception.",
  ),
});

/** When a failed server of a backend is used again. */
export const breaker = (trials: string, unsetCooldown = "") => ({
  cb_failure_threshold: integer(5, "Number of consecutive failures after which a server is no longer used.", {
    minimum: 1,
  }),
  cb_cooldown: duration("30s", `Time for which a failed server is not used.${unsetCooldown}`),
  cb_half_open_max: integer(1, `Number of trial ${trials} before a failed server is fully used again.`, { minimum: 1 }),
  health_check_interval: duration("10s", "Interval between two health checks.", { minimum: 100 }),
});

interface Pools<Pool> {
  readonly default: Pool;
  readonly pools: Readonly<Record<string, Pool>>;
}

/** The default pool of a backend and the others, with their paths. */
export function poolsOf<Pool>(kind: "ldap" | "sql" | "http", { default: first, pools }: Pools<Pool>) {
  const root = `auth.backends.${kind}`;
  const others = Object.entries(pools).map(([name, pool]) => ({ name, pool, path: `${root}.pools.${name}` }));
  return [{ name: "default", pool: first, path: `${root}.default` }, ...others];
}

/** The key at `path` names a pool that exists. */
export function checkPool(pools: object, name: string, path: string, { problem }: Judgement): void {
  if (name !== "default" && !Object.hasOwn(pools, name)) problem(path, messages.unknownPool(name));
}
