export { compileCheck } from "../bus/schema-check.ts";
export {
  type AssertionAudience,
  type AssertionKey,
  type Caller,
  callerAssertionHeader,
  createCallerSigner,
  createCallerVerifier,
  type SignCaller,
  type VerifyCaller,
} from "./caller-assertion.ts";
export { createCallerReader, mayUse, type ReadCaller } from "./caller-guard.ts";
export type { ListenerTls } from "./listener-tls.ts";
export { type Listeners, type ListenersOptions, openListeners } from "./listeners.ts";
export { anyScopeOf, type RouteScopes, routeScopes, type ScopeWord, scopeName } from "./route-scopes.ts";
