import type { FlowRecord } from "./flow-record.ts";

/** A path of ours with its optional language tag and its query. */
export function localPath(path: string, tag: string | undefined, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString();
  return `${path}${tag === undefined ? "" : `/${tag}`}${search === "" ? "" : `?${search}`}`;
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
    case "factor": {
      const methods = flow.pending?.methods ?? [];
      const [only] = methods;
      return localPath(methods.length === 1 && only !== undefined ? `/login/${only}` : "/login/mfa", tag, query);
    }
    case "enrolment":
      return localPath("/mfa/register/continue", tag, query);
    case "consent":
      return flow.kind === "device"
        ? localPath("/oidc/device/consent", tag, query)
        : localPath("/oidc/consent", tag, { consent_challenge: flow.id, state: flow.params?.state ?? "" });
    case "finished":
      return undefined;
  }
}
