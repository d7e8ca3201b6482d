import type { AuthnRequest } from "../inbound/authn-request.ts";
import { bindings } from "../names.ts";
import { askedKind, isNameIdKind, type NameIdKind } from "../outbound/name-id.ts";
import type { Provider } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import type { PendingRequest } from "./pending-requests.ts";

/** An address of the service provider's configuration, and of nothing else (reliability §1, rule 8). */
function acsUrlOf({ acsUrl, acsIndex, protocolBinding }: AuthnRequest, { consumers }: Provider): string {
  if (protocolBinding !== undefined && protocolBinding !== bindings.post) {
    throw new SamlRefusal("address", "assertions are only posted");
  }
  if (acsUrl !== undefined && acsIndex !== undefined) throw new SamlRefusal("address", "URL and index");
  const found = consumers.find(
    ({ url, index }) => (acsUrl === undefined || url === acsUrl) && (acsIndex === undefined || index === acsIndex),
  );
  if (found === undefined) throw new SamlRefusal("address", "no such assertion consumer service is configured");
  return found.url;
}

function kindOf(request: AuthnRequest, { config }: Provider, general: NameIdKind): NameIdKind | undefined {
  const asked = askedKind(request.nameIdFormat);
  if (asked !== "any") return asked;
  return isNameIdKind(config.name_id_format) ? config.name_id_format : general;
}

export interface Accepting {
  readonly provider: Provider;
  readonly relayState: string | undefined;
  readonly general: NameIdKind;
}

/** What a verified request comes to under the configuration. @throws SamlRefusal */
export function acceptRequest(request: AuthnRequest, { provider, relayState, general }: Accepting): PendingRequest {
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
