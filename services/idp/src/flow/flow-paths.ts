import type { FlowRecord } from "./flow-record.ts";

/** A path of ours with its optional language tag and its query. */
export function localPath(path: string, tag: string | undefined, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${path}${tag === undefined ? "" : `/${tag}`}${search === "" ? "" : `?${search}`}`;
}

function factorPath({ pending }: FlowRecord): string {
  const methods = pending?.methods ?? [];
  return methods.length === 1 ? `/login/${methods.join("")}` : "/login/mfa";
}

function consentPath({ kind, id, params }: FlowRecord, tag: string | undefined): string {
  return kind === "device"
    ? localPath("/oidc/device/consent", tag, { flow: id })
    : localPath("/oidc/consent", tag, { consent_challenge: id, state: params?.state ?? "" });
}

/** The page on which a flow stands; undefined where none of ours goes on with it. */
export function placeOf(flow: FlowRecord, tag: string | undefined): string | undefined {
  const query = { flow: flow.id };
  switch (flow.state) {
    case "code":
      return localPath("/oidc/device/verify", tag, query);
    case "login":
    case "ready":
      return localPath("/login", tag, query);
    case "factor":
    case "latched":
      return localPath(factorPath(flow), tag, query);
    case "enrolment":
      return localPath("/mfa/register/continue", tag, query);
    case "consent":
      return consentPath(flow, tag);
    case "finished":
      return undefined;
  }
}
