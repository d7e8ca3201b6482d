import type { Secret } from "@postern/shared/platform/crypto";
import type { Backend, BackendContext, BackendQuery, LookupOutcome, VerifyOutcome } from "../backend.ts";
import { type RemoteDecision, readAnswer } from "./answer.ts";
import { type ReceivedAnswer, RemoteFault, type RemoteRequest } from "./exchange.ts";
import { type HttpBackendDeps, HttpClient } from "./http-client.ts";
import type { HttpBackendSettings } from "./http-settings.ts";
import { createAccountListing } from "./list-accounts.ts";
import { type RemoteMode, requestFields } from "./request.ts";

/** Second factors do not travel, so the pages would admit a user without one. */
const protocolsOfFactors: ReadonlySet<string> = new Set(["mfa"]);

function createServes({ protocols }: HttpBackendSettings) {
  return ({ protocol, request }: BackendQuery): boolean => {
    if (request?.dialect === "idp" || protocolsOfFactors.has(protocol)) return false;
    return protocols.length === 0 || protocols.includes(protocol) || protocols.includes("*");
  };
}

/** @throws RemoteFault if the request has passed this engine before, or too many others */
function hopsAfter({ request }: BackendQuery, engine: string, maxHops: number): string {
  const hops = request?.hops ?? [];
  if (hops.includes(engine)) throw new RemoteFault("loop", "this engine has passed the request on before");
  if (hops.length >= maxHops) throw new RemoteFault("loop", `${hops.length} engines have passed the request on`);
  return [...hops, engine].join(", ");
}

function createRequests({ hopsHeader, maxHops }: HttpBackendSettings, { engine, traceparent }: HttpBackendDeps) {
  return (query: BackendQuery, mode: RemoteMode | undefined, password: Secret | undefined): RemoteRequest => {
    const trace = traceparent?.();
    return {
      mode,
      request: query.request,
      headers: {
        "user-agent": "Postern",
        [hopsHeader]: hopsAfter(query, engine, maxHops),
        ...(trace === undefined ? {} : { traceparent: trace }),
      },
      fields: requestFields(query, password),
    };
  };
}

/** A backend that asks another server with the JSON or CBOR endpoint of this interface, or over gRPC (ADR 0264). */
export function createHttpBackend(settings: HttpBackendSettings, deps: HttpBackendDeps): Backend {
  const serves = createServes(settings);
  const requestOf = createRequests(settings, deps);
  const healthCheck = () =>
    requestOf({ username: settings.healthCheckUser, protocol: settings.healthCheckProtocol }, "no-auth", undefined);
  const client = new HttpClient(settings, deps, async (send) => {
    readAnswer(await send(healthCheck()), settings);
  });
  const listing = createAccountListing(settings, client);

  const decide = async (read: () => Promise<ReceivedAnswer>): Promise<RemoteDecision> => {
    try {
      return readAnswer(await read(), settings);
    } catch (thrown) {
      throw client.undecided(thrown);
    }
  };
  const ask = (
    query: BackendQuery,
    { mode, password }: { readonly mode?: RemoteMode; readonly password?: Secret },
    context: BackendContext,
  ): Promise<RemoteDecision> => decide(() => client.send(requestOf(query, mode, password), context));

  return {
    kind: "remote",
    name: settings.name,
    verify: async (query, password, context): Promise<VerifyOutcome> =>
      serves(query) ? ask(query, { password }, context) : { kind: "not_served" },
    lookup: async (query, context): Promise<LookupOutcome> => {
      if (!serves(query)) return { kind: "not_served" };
      const found = await ask(query, { mode: "no-auth" }, context);
      return found.kind === "ok" ? found : { kind: "denied" };
    },
    listAccounts: async (query, page, context) => {
      if (!serves(query)) return { kind: "not_served" };
      try {
        return await listing.listAccounts(() => requestOf(query, "list-accounts", undefined), page, context);
      } catch (thrown) {
        throw client.undecided(thrown);
      }
    },
    endListing: listing.endListing,
    // The other server spends as much for an unknown name as for a wrong password.
    spendVerification: async () => undefined,
    check: async (context) => {
      const answer = await client.send(healthCheck(), context);
      await decide(async () => answer);
    },
    close: async () => {
      listing.close();
      await client.close();
    },
  };
}
