import { flushOperations } from "../admin/flush-operations.ts";
import { hookOperations } from "../admin/hook-operations.ts";
import { mfaBackchannelOperations } from "../admin/mfa-backchannel-operations.ts";
import { adminOperations } from "../admin/operations.ts";
import { authOperations } from "../auth/operations.ts";
import { gatewayOperations } from "../gateway/operations.ts";
import { oidcBrowserOperations } from "../idp/browser-operations.ts";
import { consentOperations } from "../idp/consent-operations.ts";
import { devUiOperations } from "../idp/dev-ui-operations.ts";
import { loginOperations } from "../idp/login-operations.ts";
import { mfaApiOperations } from "../idp/mfa-api-operations.ts";
import { oauthOperations } from "../idp/oauth-operations.ts";
import { idpOperations } from "../idp/operations.ts";
import { samlOperations } from "../idp/saml-operations.ts";
import { selfServiceOperations } from "../idp/self-service-operations.ts";
import { oidcSessionOperations } from "../idp/session-operations.ts";
import type { Operation } from "./define-operation.ts";

/** Every operation of the HTTP interface; both OpenAPI documents are made of it. */
export const operations: readonly Operation[] = [
  ...authOperations,
  ...flushOperations,
  ...adminOperations,
  ...mfaBackchannelOperations,
  ...oidcSessionOperations,
  ...hookOperations,
  ...devUiOperations,
  ...gatewayOperations,
  ...idpOperations,
  ...oauthOperations,
  ...oidcBrowserOperations,
  ...consentOperations,
  ...samlOperations,
  ...loginOperations,
  ...selfServiceOperations,
  ...mfaApiOperations,
];
