import { bindings } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { AuthnRequest } from "../xml/authn-request.ts";
import { isNameIdKind, type NameIdKind, requestedKind } from "../xml/name-id.ts";
import type { PendingRequest } from "./pending-requests-redis.ts";

/** The assertion consumer, which must be known from the configuration or metadata (ADR 0080). */
function acsUrlOf({ acsUrl, acsIndex, protocolBinding }: AuthnRequest, { consumers }: Provider): string {
  if (protocolBinding !== undefined && protocolBinding !== bindings.post) {
    throw new SamlRefusal("address", "only the POST binding is supported for assertions");
  }
  if (acsUrl !== undefined && acsIndex !== undefined)
    throw new SamlRefusal("address", "the request has both a URL and an index");
  const found = consumers.find(
    ({ url, index }) => (acsUrl === undefined || url === acsUrl) && (acsIndex === undefined || index === acsIndex),
  );
  if (found === undefined) throw new SamlRefusal("address", "no such assertion consumer service is configured");
  return found.url;
}

function kindOf(request: AuthnRequest, { config }: Provider, general: NameIdKind): NameIdKind | undefined {
  const kind = requestedKind(request.nameIdFormat);
  if (kind !== "any") return kind;
  return isNameIdKind(config.name_id_format) ? config.name_id_format : general;
}

/** Applies the configuration to a verified request. @throws SamlRefusal */
export function acceptRequest(
  request: AuthnRequest,
  provider: Provider,
  relayState: string | undefined,
  general: NameIdKind,
): PendingRequest {
  const kind = kindOf(request, provider, general);
  const { requestedContext, loginHint } = request;
  return {
    entityId: provider.entityId,
    requestId: request.id,
    acsUrl: acsUrlOf(request, provider),
    isPassive: request.isPassive,
    forceAuthn: request.forceAuthn,
    hasAsked: false,
    ...(kind === undefined ? {} : { nameIdKind: kind }),
    ...(relayState === undefined ? {} : { relayState }),
    ...(requestedContext === undefined ? {} : { requestedContext }),
    ...(loginHint === undefined ? {} : { loginHint }),
  };
}
