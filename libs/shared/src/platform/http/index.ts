export { compileCheck } from "../bus/schema-check.ts";
export {
  acceptsHtml,
  answerUnrouted,
  bearerChallenge,
  callerChallenges,
  challengeUnauthorized,
  guardedRoute,
  nameSessions,
  requireCaller,
  scopeChallenge,
  unreadablePaths,
} from "./behind-gateway.ts";
export {
  type AssertionAudience,
  type AssertionKey,
  type Caller,
  type ClientCertificate,
  callerAssertionHeader,
  createCallerReader,
  createCallerSigner,
  createCallerVerifier,
  mayUse,
  type ReadCaller,
  type SharedClock,
  type SignCaller,
  type VerifyCaller,
} from "./caller-assertion.ts";
export { headerPrefix, sessionHeader } from "./header-names.ts";
export {
  clientHeaderBytes,
  type Listeners,
  type ListenersOptions,
  type ListenerTls,
  openListeners,
  ownerHeaderBytes,
  readSecureContext,
} from "./listeners.ts";
export {
  createMethodTable,
  type FoundRoute,
  ignoreQueryMethod,
  type MethodTable,
  maxParamLength,
} from "./method-table.ts";
export { noRouteSchemas } from "./no-route-schemas.ts";
export { onlyOperations, routeOf, type SiteNames, sitePath } from "./operation-routes.ts";
export { anyScopeOf, isBelow, scopeName } from "./route-scopes.ts";
export { parseStrictJson, StrictJsonError, takeStrictJson } from "./strict-json.ts";
export { traceForwarded, traceRequests } from "./trace-requests.ts";
export { FormEncodingError, readFormBody, readUtf8Form } from "./utf8-form.ts";
