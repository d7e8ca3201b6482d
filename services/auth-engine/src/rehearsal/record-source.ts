import type { Config } from "@postern/shared/platform/config";

/** Where sign-ins were recorded, and what these records do not say. */
export interface RecordSource {
  readonly name: "log" | "history";
  /** The part of a configuration that can be replayed. */
  readonly judged: (config: Config) => Config;
  /** Controls that are replayed, of `auth.controls` and as `auth.controls.enabled` names them. */
  readonly controls: ReadonlySet<string>;
  /** Facts of policies that are not recorded, by the property that holds them. */
  readonly unrecorded: Readonly<Record<string, string>>;
  /** Beginnings of other such facts. */
  readonly unrecordedFacts: readonly string[];
}

const unlogged = {
  method: "request.method",
  clientHostname: "request.client.host",
  clientId: "request.client.id",
  localIp: "request.local.ip",
  localPort: "request.local.port",
  userAgent: "request.user_agent",
  loginAttempt: "request.login_attempt",
  tlsDetails: "request.tls",
  oidcClientId: "request.idp.client_id",
  account: "auth.account.name",
  attributes: "auth.subject.attribute",
  groups: "auth.account.groups",
  credential: "auth.credential",
  backendName: "auth.directory",
  risk: "auth.risk",
} as const;

/** The replay has values of these, but not those of the time. */
const unloggedFacts = ["auth.cache.hit", "auth.rbl.", "auth.brute_force.degraded"];

/** A gateway's log. */
export const fromLog: RecordSource = {
  name: "log",
  judged: (config) => config,
  controls: new Set(["brute_force", "tls_encryption", "relay_domains"]),
  unrecorded: unlogged,
  unrecordedFacts: unloggedFacts,
};

/** Equal failures are one record there, which does not say how many of them repeated a password; nor does any record say whether TLS was used. */
const unknownToHistory: ReadonlySet<string> = new Set(["brute_force", "tls_encryption"]);

/** The decision history in Redis. */
export const fromHistory: RecordSource = {
  name: "history",
  judged: (config) => {
    const { controls } = config.auth;
    const enabled = controls.enabled.filter((name) => !unknownToHistory.has(name));
    return { ...config, auth: { ...config.auth, controls: { ...controls, enabled } } };
  },
  controls: new Set(["relay_domains"]),
  unrecorded: {
    ...unlogged,
    dialect: "request.dialect",
    tls: "request.connection.tls",
    bruteForce: "auth.brute_force",
  },
  // Of a master user's sign-in, it has the name of one of the two accounts.
  unrecordedFacts: [...unloggedFacts, "auth.tls.", "auth.control.", "auth.master_user."],
};
