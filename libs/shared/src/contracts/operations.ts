import { accountOperations } from "./admin/account-operations.ts";
import { domainOperations } from "./admin/domain-operations.ts";
import { flushOperations } from "./admin/flush-operations.ts";
import { mfaBackchannelOperations } from "./admin/mfa-backchannel-operations.ts";
import { adminOperations, hookOperations } from "./admin/operations.ts";
import { regionOperations } from "./admin/region-operations.ts";
import { shadowOperations } from "./admin/shadow-operations.ts";
import { authOperations } from "./auth/operations.ts";
import { authPolicyOperations } from "./auth-policy/operations.ts";
import { auditOperations } from "./console/audit.ts";
import { networkOperations } from "./console/network.ts";
import { consoleOperations } from "./console/operations.ts";
import { consolePageOperations } from "./console/page-operations.ts";
import { riskOperations } from "./console/risk.ts";
import { watchOperations } from "./console/watch.ts";
import { gatewayOperations } from "./gateway/operations.ts";
import { oidcBrowserOperations } from "./idp/browser-operations.ts";
import { consentOperations } from "./idp/consent-operations.ts";
import { devUiOperations } from "./idp/dev-ui-operations.ts";
import { loginOperations } from "./idp/login-operations.ts";
import { mailClientOperations } from "./idp/mail-client-operations.ts";
import { idpManagementOperations } from "./idp/management-operations.ts";
import { mfaApiOperations } from "./idp/mfa-api-operations.ts";
import { oauthOperations } from "./idp/oauth-operations.ts";
import { idpOperations } from "./idp/operations.ts";
import { registrationOperations } from "./idp/registration-operations.ts";
import { samlOperations } from "./idp/saml-operations.ts";
import { selfServiceOperations } from "./idp/self-service-operations.ts";
import { oidcSessionOperations } from "./idp/session-operations.ts";
import type { Operation } from "./operations/define-operation.ts";
import type { RouteFamily } from "./operations/route-family.ts";

/** The operation table: one list for each area. */
const table = [
  ...authOperations,
  ...authPolicyOperations,
  ...flushOperations,
  ...adminOperations,
  ...accountOperations,
  ...shadowOperations,
  ...domainOperations,
  ...regionOperations,
  ...consoleOperations,
  ...riskOperations,
  ...networkOperations,
  ...auditOperations,
  ...watchOperations,
  ...consolePageOperations,
  ...mfaBackchannelOperations,
  ...oidcSessionOperations,
  ...idpManagementOperations,
  ...hookOperations,
  ...devUiOperations,
  ...gatewayOperations,
  ...idpOperations,
  ...oauthOperations,
  ...registrationOperations,
  ...oidcBrowserOperations,
  ...consentOperations,
  ...samlOperations,
  ...loginOperations,
  ...selfServiceOperations,
  ...mfaApiOperations,
  ...mailClientOperations,
];

type Defined = (typeof table)[number];

/** Names of operations, without those of pages in a given language. */
export type OperationId = Defined["operationId"];

type OperationOf<Id extends OperationId> = Extract<Defined, { readonly operationId: Id }>;

/** Every operation of the HTTP interface, each page followed by the same in a given language. */
export const operations: readonly Operation[] = table.flatMap((defined: Operation) =>
  defined.inLanguage === undefined ? [defined] : [defined, defined.inLanguage],
);

const byId: ReadonlyMap<string, Operation> = new Map(operations.map((defined) => [defined.operationId, defined]));

function isNamed<Id extends OperationId>(found: Operation | undefined, id: Id): found is OperationOf<Id> {
  return found?.operationId === id;
}

export function operation<Id extends OperationId>(id: Id): OperationOf<Id> {
  const found = byId.get(id);
  if (!isNamed(found, id)) throw new Error(`no operation has the name ${id}`);
  return found;
}

/** The parameters of a path template by name. */
type Parameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Parameter in Name]: string } & Parameters<Rest>
  : unknown;

/** What the path of an operation has to be filled with; `unknown` for a path without parameters. */
export type PathParameters<Id extends OperationId> = Parameters<OperationOf<Id>["path"]>;

/** A path template with its parameters, percent-encoded. */
export function fillPath(template: string, parameters: object): string {
  const values = new Map<string, unknown>(Object.entries(parameters));
  return template.replaceAll(/\{(\w+)\}/gu, (_whole, name: string) => encodeURIComponent(String(values.get(name))));
}

/** The path of an operation with its parameters, percent-encoded. */
export function pathTo<Id extends OperationId>(
  id: Id,
  ...[parameters]: unknown extends PathParameters<Id> ? [] : [parameters: PathParameters<Id>]
): string {
  return fillPath(operation(id).path, Object(parameters));
}

export const routeFamilies: readonly RouteFamily[] = [...new Set(operations.map(({ family }) => family))];
