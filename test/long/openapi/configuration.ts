import { join } from "node:path";

export type DocumentName = "management" | "idp";

export interface ConfigurationOptions {
  readonly name: DocumentName;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** An access token of a user, for the operations that need one. */
  readonly accessToken: string;
}

/** Operations that are not tested, because they would end the session that the others need. */
const excluded: Readonly<Record<DocumentName, readonly string[]>> = {
  management: [],
  idp: ["logoutPost", "logoutPostInLanguage", "endSessionPost", "endSessionPostInLanguage"],
};

/** Basic credentials by the name of the document's security scheme. */
const credentials: Readonly<Record<DocumentName, Readonly<Record<string, readonly [string, string]>>>> = {
  management: {
    backchannelBasic: ["backchannel", "demo-backchannel-secret"],
    userBasic: ["alice@example.test", "alice-demo-password"],
  },
  idp: { clientBasic: ["demo-web", "demo-web-secret"] },
};

/** Valid values of path parameters, which half of the requests use. */
const existing: Readonly<Record<DocumentName, Readonly<Record<string, readonly string[]>>>> = {
  management: { hookName: ["echo"], template: ["idp_login.html"] },
  idp: { languageTag: ["de", "en"] },
};

/**
 * The checks of each response; the last two are in hooks.py. These checks are left out because they contradict the contract:
 * - `positive_data_acceptance`: a schema cannot describe which accounts, flows, codes and tokens exist.
 * - `negative_data_rejection` and `missing_required_header`: the proxy dialect returns 200 for a denial, pages redirect
 *   to the sign-in, and unknown members and parameters are ignored.
 * - `ignored_auth`: hooks, pages and the basic dialect also respond without the document's credentials.
 */
const checks = ["not_a_server_error", "status_code_conformance", "content_type_of_body", "schema_of_body"];

const text = (value: string): string => JSON.stringify(value);

/** The configuration of one run. It depends on the options only. */
export function configuration({ name, headers, accessToken }: ConfigurationOptions): string {
  const lines = [
    "seed = 1",
    "workers = 1",
    "continue-on-failure = true",
    `hooks = ${text(join(import.meta.dirname, "hooks.py"))}`,
    // Results of earlier runs must not change this one.
    "cache.enabled = false",
    "[generation]",
    "deterministic = true",
    "max-examples = 30",
    "no-shrink = true",
    "[phases]",
    "examples.enabled = false",
    "stateful.enabled = false",
    "fuzzing.extra-data-sources.responses = false",
    "coverage.extra-data-sources.responses = false",
    "[checks]",
    "enabled = false",
    ...checks.map((check) => `${check}.enabled = true`),
    "[headers]",
    ...Object.entries(headers).map(([header, value]) => `${text(header)} = ${text(value)}`),
    ...Object.entries(credentials[name]).flatMap(([scheme, [username, password]]) => [
      `[auth.openapi.${scheme}]`,
      `username = ${text(username)}`,
      `password = ${text(password)}`,
    ]),
    ...(name === "idp" ? ["[auth.openapi.accessToken]", `bearer = ${text(accessToken)}`] : []),
    "[parameters]",
    ...Object.keys(existing[name]).map(
      (parameter) => `${parameter} = { dictionary = ${text(parameter)}, probability = 0.5 }`,
    ),
    ...Object.entries(existing[name]).flatMap(([parameter, values]) => [
      `[dictionaries.${parameter}]`,
      `values = [${values.map(text).join(", ")}]`,
    ]),
    ...excluded[name].flatMap((id) => ["[[operations]]", `include-operation-id = ${text(id)}`, "enabled = false"]),
  ];
  return `${lines.join("\n")}\n`;
}
