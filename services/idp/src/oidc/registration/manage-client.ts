import type { DynamicRegistrationConfig } from "@postern/shared/platform/config";
import { digestOf, matchesDigest } from "@postern/shared/platform/crypto";
import { isRecord } from "../storage/models.ts";
import type { TokenRecords } from "../tokens/token-records.ts";
import { type FullClient, readFullClient } from "./full-profile.ts";
import { type ClientFault, credentialsFor } from "./register-client.ts";
import { invalid, kindOfId, type Refusal, type Registration } from "./registration.ts";
import type { Registrations } from "./registrations-redis.ts";

/** A request to the registration of one client (RFC 7592 §2). */
export interface ManagementRequest {
  readonly id: string;
  /** Token of the `Authorization` header. */
  readonly bearer: string | undefined;
}

export type Managed =
  | { readonly outcome: "ok"; readonly registration: Registration }
  /** The token is not that of the client, or there is no such client (RFC 7592 §2). */
  | { readonly outcome: "no_token" }
  | { readonly outcome: "invalid"; readonly refusal: Refusal };

/** RFC 7592 §2.2. */
const forbidden = [
  "registration_access_token",
  "registration_client_uri",
  "client_secret_expires_at",
  "client_id_issued_at",
];

/** What a request must repeat unchanged, and what only the server sets. */
function misfit(body: unknown, { id, full }: Registration): Refusal | undefined {
  const members = isRecord(body) ? body : {};
  const foreign = forbidden.find((name) => members[name] !== undefined);
  if (foreign !== undefined) return invalid(`${foreign} must not be in the request`);
  if (members["client_id"] !== id) return invalid("client_id must be that of the client");
  const { client_secret: secret } = members;
  if (secret === undefined || secret === null) return undefined;
  const isKnown = typeof secret === "string" && matchesDigest(secret, digestOf(full?.secret ?? ""));
  return isKnown && full?.secret !== undefined ? undefined : invalid("client_secret must be that of the client");
}

function changed(known: Registration, client: FullClient): Registration {
  const { metadata, ...members } = client;
  const { tokenDigest = "", secret } = known.full ?? {};
  return { ...known, ...members, full: { metadata, ...credentialsFor(client, secret), tokenDigest } };
}

/** Clients that manage their registration (RFC 7592). All methods reject with REDIS_UNAVAILABLE when Redis does not respond. */
export function createManageClient(
  registrations: Registrations,
  records: Pick<TokenRecords, "revokeClient">,
  settings: () => DynamicRegistrationConfig,
  faultOf: ClientFault,
) {
  const authorized = async ({ id, bearer }: ManagementRequest): Promise<Registration | undefined> => {
    if (!settings().enabled || kindOfId(id) !== "full" || bearer === undefined) return undefined;
    const known = await registrations.find(id);
    if (known?.full === undefined) return undefined;
    return matchesDigest(bearer, Buffer.from(known.full.tokenDigest, "base64url")) ? known : undefined;
  };
  return {
    read: async (request: ManagementRequest): Promise<Managed> => {
      const registration = await authorized(request);
      return registration === undefined ? { outcome: "no_token" } : { outcome: "ok", registration };
    },
    /** Replaces all metadata: what the request does not contain is reset. */
    replace: async (request: ManagementRequest, body: unknown): Promise<Managed> => {
      const known = await authorized(request);
      if (known === undefined) return { outcome: "no_token" };
      const refusal = misfit(body, known);
      if (refusal !== undefined) return { outcome: "invalid", refusal };
      const client = readFullClient(body, settings());
      if ("error" in client) return { outcome: "invalid", refusal: client };
      const fault = faultOf(changed(known, client));
      if (fault !== undefined) return { outcome: "invalid", refusal: invalid(fault) };
      const registration = await registrations.change(request.id, (current) => changed(current, client));
      return registration === undefined ? { outcome: "no_token" } : { outcome: "ok", registration };
    },
    remove: async (request: ManagementRequest): Promise<Managed> => {
      const registration = await authorized(request);
      if (registration === undefined) return { outcome: "no_token" };
      // Tokens first: if that fails, the client retries with its registration access token.
      await records.revokeClient(registration.id);
      await registrations.remove(registration.id);
      // Again, for tokens that were issued in between.
      await records.revokeClient(registration.id);
      return { outcome: "ok", registration };
    },
  };
}
