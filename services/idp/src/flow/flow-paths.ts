import { pathTo } from "@postern/shared/contracts";
import type { FactorMethod, FlowRecord } from "./flow-record.ts";

/** A path of the identity provider with its optional language tag and its query. */
export function localPath(path: string, tag: string | undefined, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${path}${tag === undefined ? "" : `/${tag}`}${search === "" ? "" : `?${search}`}`;
}

/** The pages of the second factors. */
export const factorPaths: Readonly<Record<FactorMethod, string>> = {
  totp: pathTo("totpPage"),
  webauthn: pathTo("webauthnPage"),
  recovery: pathTo("recoveryPage"),
};

function factorPath({ pending }: FlowRecord): string {
  const [only, ...others] = pending?.methods ?? [];
  return only !== undefined && others.length === 0 ? factorPaths[only] : pathTo("mfaPage");
}

function consentPath({ kind, id, params }: FlowRecord, tag: string | undefined): string {
  return kind === "device"
    ? localPath(pathTo("deviceConsentPage"), tag, { flow: id })
    : localPath(pathTo("consentPage"), tag, { consent_challenge: id, state: params?.state ?? "" });
}

/** The page of a flow's current state; undefined if the flow continues outside the pages. */
export function pageUrlOf(flow: FlowRecord, tag: string | undefined): string | undefined {
  const query = { flow: flow.id };
  switch (flow.state) {
    case "code":
      return localPath(pathTo("deviceCodePage"), tag, query);
    case "login":
    case "ready":
      return localPath(pathTo("loginPage"), tag, query);
    case "factor":
    case "latched":
      return localPath(factorPath(flow), tag, query);
    case "enrolment":
      return localPath(pathTo("continueRegistration"), tag, query);
    case "consent":
      return consentPath(flow, tag);
    case "finished":
      return undefined;
  }
}
