import { abortAfter } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { ReadPublished } from "../request-objects/unpack-request.ts";
import type { ClientPolicy, FindPolicy } from "./clients.ts";

const timeoutMs = 3000;
/** Requests for the same URI share one fetch for this time, so that no client can make Postern flood another server. */
const sharedMs = 1000;
const maxAtOnce = 16;
/** Fetches of the last moments that are remembered; the oldest is dropped for another one. */
const maxRemembered = 1024;

/**
 * Reads request objects that clients publish (RFC 9101 §5.2.3). Rejects with UPSTREAM_UNAVAILABLE if one cannot be read, and with OVERLOADED
 * if too many are being read.
 *
 * @param load rejects if the document cannot be read
 */
export function createPublishedObjects(
  load: (uri: string, signal: AbortSignal) => Promise<Buffer>,
  clock: Clock,
  onError: (uri: string, error: unknown) => void,
) {
  const fetches = new Map<string, { readonly startedAtMs: number; readonly object: Promise<string> }>();
  let running = 0;
  const fetchNow = async (uri: string): Promise<string> => {
    running += 1;
    try {
      return (await load(uri, abortAfter(timeoutMs))).toString("utf8").trim();
    } catch (cause) {
      onError(uri, cause);
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "a published request object cannot be read", cause });
    } finally {
      running -= 1;
    }
  };
  return async (uri: string): Promise<string> => {
    const nowMs = clock.now();
    const last = fetches.get(uri);
    if (last !== undefined && nowMs - last.startedAtMs < sharedMs) return last.object;
    if (running >= maxAtOnce)
      throw new AppError("OVERLOADED", { detail: "too many published request objects are being read" });
    const object = fetchNow(uri);
    // Each caller handles the failure; without a caller there is nothing to handle.
    object.catch(() => undefined);
    fetches.delete(uri);
    const [oldest] = fetches.keys();
    if (oldest !== undefined && fetches.size >= maxRemembered) fetches.delete(oldest);
    fetches.set(uri, { startedAtMs: nowMs, object });
    return object;
  };
}

export type ReadPublishedObject = ReturnType<typeof createPublishedObjects>;

const pushed = "urn:ietf:params:oauth:request_uri:";

/** Only URIs that are registered for the client are fetched, compared character by character (RFC 9101 §10.5.2). */
export function createReadPublished(
  findPolicy: FindPolicy,
  publishedOf: (policy: Pick<ClientPolicy, "isRegistered">) => ReadPublishedObject,
): ReadPublished {
  return async (uri, clientId) => {
    if (uri.startsWith(pushed)) return undefined;
    const policy = await findPolicy(clientId);
    if (policy === undefined || policy.config.request_uris.length === 0) return undefined;
    if (!policy.config.request_uris.includes(uri)) return { refused: "unregistered_uri" };
    try {
      return { object: await publishedOf(policy)(uri) };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UPSTREAM_UNAVAILABLE") throw error;
      return { refused: "unreadable_uri" };
    }
  };
}
