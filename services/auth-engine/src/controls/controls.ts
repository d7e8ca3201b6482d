import type { AuthDecision } from "@postern/shared/contracts";
import { errorCodes } from "@postern/shared/platform/errors";
import { canonicalDomain, createCidrSet } from "@postern/shared/platform/net";
import type { Attempt } from "../pipeline/attempt.ts";
import { type AccountFacts, denial, type Step, type StepContext } from "../pipeline/step.ts";
import type { ControlSettings } from "./control-settings.ts";

/** The domain of `local@domain`; undefined for a name without a domain or with more than one `@`. */
function domainOf(username: string): string | undefined {
  const [, domain, ...more] = username.split("@");
  return domain === undefined || domain === "" || more.length > 0 ? undefined : comparable(domain);
}

/** `canonicalDomain` knows no domain with one label, which may be served. */
function comparable(domain: string): string {
  return canonicalDomain(domain) ?? domain.toLowerCase();
}

/**
 * Denies users of domains that are not served, before any backend is queried or failure counted. Without domains, every
 * domain is served.
 */
export function createRelayDomains({ domains, allowlist }: NonNullable<ControlSettings["relayDomains"]>): Control {
  const served = new Set(domains.map((domain) => comparable(domain)));
  return {
    name: "relay_domains",
    check: ({ username, masterLogin, clientIp }, { facts }) => {
      const account = masterLogin?.user ?? username;
      const domain = domainOf(account);
      if (domain === undefined || served.size === 0) return undefined;
      facts.relayDomainKnown = served.has(domain);
      if (facts.relayDomainKnown || allowlist.has(account, clientIp)) return undefined;
      return denial("unknown_relay_domain");
    },
  };
}

/**
 * Answers with a temporary failure if client and mail server did not use TLS: the password may be right, and the user
 * has to change the client's settings, not the password.
 *
 * @param cleartextNetworks `auth.controls.tls_encryption.allow_cleartext_networks`
 */
export function createTlsRequired(cleartextNetworks: readonly string[]): Control {
  const exempt = createCidrSet(cleartextNetworks);
  return {
    name: "tls_encryption",
    check: ({ tls, clientIp }, { facts }) => {
      facts.tlsSecure = tls;
      if (tls || (clientIp !== undefined && exempt.has(clientIp))) return undefined;
      return { outcome: "tempfail", code: "TLS_REQUIRED", message: errorCodes.TLS_REQUIRED.publicMessage };
    },
  };
}

/** Findings of the controls, for policies; absent if a control is disabled or did not check. */
export interface ControlFacts {
  tlsSecure?: boolean;
  relayDomainKnown?: boolean;
  rblScore?: number;
  /** Names of the block lists that contain the client. */
  rblListed?: readonly string[];
  /** The control that ended the decision. */
  rejectedBy?: string;
}

export interface ControlContext {
  readonly signal: AbortSignal;
  readonly facts: ControlFacts;
}

/** Names in `auth.controls.enabled` that belong to this folder. */
export const controlNames = ["tls_encryption", "relay_domains", "rbl"] as const;
export type ControlName = (typeof controlNames)[number];

/**
 * Checks a sign-in before any backend is queried. Undefined means no objection; a denial or a temporary failure ends
 * the decision.
 */
export interface Control {
  readonly name: ControlName;
  check(attempt: Attempt, context: ControlContext): Promise<AuthDecision | undefined> | AuthDecision | undefined;
}

export const controlOutcomes = ["pass", "deny", "tempfail"] as const;
export type ControlOutcome = (typeof controlOutcomes)[number];

function outcomeOf(decision: AuthDecision | undefined): ControlOutcome {
  if (decision === undefined) return "pass";
  return decision.outcome === "tempfail" ? "tempfail" : "deny";
}

/** The enabled controls. */
export function createControls(
  controls: readonly Control[],
  observe: (name: ControlName, outcome: ControlOutcome) => void,
) {
  return async (attempt: Attempt, context: ControlContext): Promise<AuthDecision | undefined> => {
    for (const control of controls) {
      const decision = await control.check(attempt, context);
      observe(control.name, outcomeOf(decision));
      if (decision !== undefined) {
        context.facts.rejectedBy = control.name;
        return decision;
      }
    }
    return undefined;
  };
}

export type Controls = ReturnType<typeof createControls>;

/** It is a class because V8 gives every object literal with a getter its own hidden class (docs/contributing/performance.md). */
class ControlsContext implements ControlContext {
  readonly facts: ControlFacts = {};
  readonly #step: StepContext;

  constructor(step: StepContext) {
    this.#step = step;
  }

  get signal(): AbortSignal {
    return this.#step.signal;
  }
}

interface ControlledFacts extends AccountFacts {
  controls?: ControlFacts;
}

/** Runs the controls in their fixed order, for sign-ins only. The first that rejects ends the decision. */
export const runControls: Step<ControlledFacts, { readonly controls: Controls | undefined }> = {
  name: "run-controls",
  run: (attempt, context, { controls }) => {
    if (controls === undefined || attempt.operation !== "authenticate") return undefined;
    const controlsContext = new ControlsContext(context);
    context.facts.controls = controlsContext.facts;
    return controls(attempt, controlsContext);
  },
};
