import type { AuthDecision, AuthOperation } from "@postern/shared/contracts";
import {
  attributeFactPrefix,
  domainAttributeFactPrefix,
  type FactReader,
  type FactValue,
  isPolicyFact,
  type PolicyFact,
  requestAttributeFactPrefix,
} from "@postern/shared/platform/policies";
import type { ControlFacts } from "../controls/controls.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { ScoredFacts } from "../risk/sign-in.ts";

/** Operations to which policies apply; the last one is a sign-in that a mail server verifies. */
export type PolicyOperation = AuthOperation | "auth_policy";

/** All findings about a decision: a policy may be about any of them. */
export interface PolicyFacts extends ScoredFacts {
  /** Findings of the controls (run-controls). Absent if no control is enabled. */
  controls?: ControlFacts;
}

/** What is known once a decision was made. */
export interface Known {
  readonly attempt: Omit<Attempt, "operation"> & {
    readonly operation: PolicyOperation;
    /** The attributes that a mail server sends with an auth-policy request. */
    readonly attributes?: Readonly<Record<string, readonly string[]>> | undefined;
  };
  readonly decision: AuthDecision;
  readonly facts: PolicyFacts;
}

type Reader = (known: Known) => FactValue | undefined;

function isDecided({ decision }: Known): boolean {
  return decision.outcome !== "tempfail";
}

function portOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : undefined;
}

/** Names of operations as policies know them. */
export const operationNames = {
  authenticate: "authenticate",
  lookup: "lookup_identity",
  "list-accounts": "list_accounts",
  auth_policy: "auth_policy",
} as const satisfies Record<PolicyOperation, string>;

const readers: Readonly<Record<PolicyFact, Reader>> = {
  "request.operation": ({ attempt }) => operationNames[attempt.operation],
  "request.dialect": ({ attempt }) => attempt.dialect,
  "request.protocol": ({ attempt }) => attempt.protocol,
  "request.method": ({ attempt }) => attempt.method,
  "request.username": ({ attempt }) => attempt.masterLogin?.submitted ?? attempt.username,
  "request.client.ip": ({ attempt }) => attempt.clientIp,
  "request.client.ip.present": ({ attempt }) => attempt.clientIp !== undefined,
  "request.client.host": ({ attempt }) => attempt.clientHostname,
  "request.client.id": ({ attempt }) => attempt.clientId,
  "request.local.ip": ({ attempt }) => attempt.localIp,
  "request.local.port": ({ attempt }) => portOf(attempt.localPort),
  "request.user_agent": ({ attempt }) => attempt.userAgent,
  "request.login_attempt": ({ attempt }) => attempt.loginAttempt,
  "request.connection.tls": ({ attempt }) => attempt.tls,
  "request.tls.protocol": ({ attempt }) => attempt.tlsDetails?.protocol,
  "request.tls.client_verify": ({ attempt }) => attempt.tlsDetails?.clientVerify,
  "request.tls.client_cn": ({ attempt }) => attempt.tlsDetails?.clientCn,
  "request.idp.client_id": ({ attempt }) => attempt.oidcClientId,
  "auth.authenticated": (known) =>
    isDecided(known) && known.attempt.operation === "authenticate" ? known.decision.outcome === "ok" : undefined,
  "auth.identity.found": (known) =>
    isDecided(known) && known.attempt.operation === "lookup"
      ? known.decision.outcome === "ok"
      : known.facts.accountKnown,
  "auth.account.name": ({ attempt, decision }) =>
    decision.outcome === "ok" && attempt.operation !== "auth_policy" ? decision.account : undefined,
  "auth.account.groups": ({ facts }) => facts.groups,
  "auth.account.second_factor": ({ facts }) => {
    if (facts.hasSecondFactor === undefined) facts.isSecondFactorWanted = true;
    return facts.hasSecondFactor;
  },
  "auth.credential": ({ facts }) => facts.credential,
  "auth.denial.reason": ({ decision }) => (decision.outcome === "fail" ? decision.reason : undefined),
  "auth.directory": ({ facts }) => facts.backendName,
  "auth.cache.hit": ({ decision }) => (decision.outcome === "tempfail" ? undefined : decision.memoryCache === "hit"),
  "auth.backend.empty_password": ({ attempt }) =>
    attempt.operation === "authenticate" && (attempt.password?.isEmpty ?? true),
  "auth.master_user.active": ({ attempt }) => attempt.masterLogin !== undefined,
  "auth.brute_force.triggered": ({ decision }) => decision.outcome === "blocked",
  "auth.brute_force.rule": ({ decision }) => (decision.outcome === "blocked" ? decision.rule : undefined),
  "auth.brute_force.repeating": ({ facts }) => facts.bruteForce?.repeatedWrongPassword,
  "auth.brute_force.account_passwords": ({ facts }) => facts.bruteForce?.accountPasswordsSeen,
  "auth.brute_force.network_guesses": ({ facts }) => facts.bruteForce?.totalPasswordsSeen,
  "auth.brute_force.degraded": ({ facts }) => facts.bruteForce?.degraded,
  "auth.risk.score": ({ facts }) => facts.risk?.score,
  "auth.risk.level": ({ facts }) => facts.risk?.level,
  "auth.risk.signals": ({ facts }) => facts.risk?.signals.map(({ signal }) => signal),
  "auth.risk.known": ({ facts }) => facts.risk?.isKnown,
  "auth.tls.secure": ({ facts }) => facts.controls?.tlsSecure,
  "auth.relay_domain.known": ({ facts }) => facts.controls?.relayDomainKnown,
  "auth.domain.name": ({ attempt: { domain } }) =>
    domain?.isKnown === true && domain.name !== "" ? domain.name : undefined,
  "auth.rbl.score": ({ facts }) => facts.controls?.rblScore,
  "auth.rbl.listed": ({ facts }) => facts.controls?.rblListed,
  "auth.control.rejected": ({ facts }) => facts.controls?.rejectedBy,
};

function attributeOf({ decision }: Known, name: string): FactValue | undefined {
  if (decision.outcome !== "ok" || !Object.hasOwn(decision.attributes, name)) return undefined;
  return decision.attributes[name];
}

function requestAttributeOf({ attempt: { attributes = {} } }: Known, name: string): FactValue | undefined {
  return Object.hasOwn(attributes, name) ? attributes[name] : undefined;
}

/** Reads the facts of one decision when a condition needs them. */
export function factReader(known: Known): FactReader {
  return (name) => {
    if (isPolicyFact(name)) return readers[name](known);
    if (name.startsWith(requestAttributeFactPrefix)) {
      return requestAttributeOf(known, name.slice(requestAttributeFactPrefix.length));
    }
    if (name.startsWith(domainAttributeFactPrefix)) {
      const { domain } = known.attempt;
      return domain?.isKnown === true ? domain.attributes.get(name.slice(domainAttributeFactPrefix.length)) : undefined;
    }
    return attributeOf(known, name.slice(attributeFactPrefix.length));
  };
}
