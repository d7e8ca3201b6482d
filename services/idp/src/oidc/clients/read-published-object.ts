import { AppError } from "@postern/shared/platform/errors";
import type { PublishedObjects } from "../request-objects/published-objects.ts";
import type { ReadPublished } from "../request-objects/unpack-request.ts";
import type { ClientPolicies, ClientPolicy, LoadClient } from "./clients.ts";

export interface ReadPublishedDeps {
  readonly policies: () => ClientPolicies;
  readonly load: LoadClient;
  readonly publishedOf: (policy: Pick<ClientPolicy, "isRegistered">) => PublishedObjects;
}

const pushed = "urn:ietf:params:oauth:request_uri:";

/** Only URIs that are registered for the client are fetched, compared character by character (RFC 9101 §10.5.2). */
export function createReadPublished({ policies, load, publishedOf }: ReadPublishedDeps): ReadPublished {
  return async (uri, clientId) => {
    if (uri.startsWith(pushed)) return undefined;
    await load(clientId);
    const policy = policies().get(clientId);
    if (policy === undefined || policy.config.request_uris.length === 0) return undefined;
    if (!policy.config.request_uris.includes(uri)) return { refused: "unregistered_uri" };
    try {
      return { object: await publishedOf(policy).read(uri) };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UPSTREAM_UNAVAILABLE") throw error;
      return { refused: "unreadable_uri" };
    }
  };
}
