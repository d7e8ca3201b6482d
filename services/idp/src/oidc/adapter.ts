import { type Adapter, type AdapterFactory, type AdapterPayload, errors, Provider } from "oidc-provider";
import type { OidcStore, RecordRef } from "./store.ts";
import { tokenOrigin } from "./token-origin.ts";

export interface AdapterDeps {
  readonly store: OidcStore;
  readonly digestOf: (id: string) => string;
  /** The model Session, which is our browser session. */
  readonly sessions: Adapter;
  /** Kills a family of tokens, the signed ones too. */
  readonly revokeGrant: (grantId: string) => Promise<void>;
}

const originated: ReadonlySet<string> = new Set(["AccessToken", "RefreshToken"]);

const noClients: Pick<Adapter, "find"> = { find: async () => undefined };

/** The refresh token that the request under way replaces. */
function rotatedToken(): string | undefined {
  const rotated: unknown = Provider.ctx?.oidc.entities["RotatedRefreshToken"];
  return typeof rotated === "object" && rotated !== null && "jti" in rotated && typeof rotated.jti === "string"
    ? rotated.jti
    : undefined;
}

/** Parallel refreshes get one successor: who is second stores nothing, and its answer names the elected one. */
async function electSuccessor(id: string, { store, digestOf }: AdapterDeps): Promise<boolean> {
  const rotated = rotatedToken();
  if (rotated === undefined) return true;
  const elected = await store.elect({ model: "RefreshToken", digest: digestOf(rotated) }, id);
  const { ctx } = Provider;
  if (ctx !== undefined) ctx.state["electedRefreshToken"] = elected;
  return elected === id;
}

function createModelAdapter(model: string, deps: AdapterDeps): Adapter {
  const { store, digestOf } = deps;
  const refOf = (id: string): RecordRef => ({ model, digest: digestOf(id) });
  return {
    upsert: async (id, payload, expiresIn) => {
      if (model === "ReplayDetection") {
        if (await store.unseen(id, expiresIn ?? 60)) return;
        throw new errors.InvalidClientAuth("client assertion tokens must only be used once");
      }
      if (model === "RefreshToken" && !(await electSuccessor(id, deps))) return;
      const origin = originated.has(model)
        ? await tokenOrigin((refreshed) => store.find({ model: "RefreshToken", digest: digestOf(refreshed) }))
        : undefined;
      await store.put(refOf(id), { ...origin, ...payload }, expiresIn ?? 600);
    },
    // Found would be told before stored: two requests at once would both find nothing.
    find: async (id) => (model === "ReplayDetection" ? undefined : store.find(refOf(id))),
    findByUserCode: (userCode) => store.byUserCode(userCode),
    findByUid: async (): Promise<AdapterPayload | undefined> => undefined,
    consume: async (id) => {
      if ((await store.consume(refOf(id))) !== "consumed") throw new errors.InvalidGrant("already used");
    },
    destroy: (id) => store.destroy(refOf(id)),
    revokeByGrantId: (grantId) =>
      model === "AccessToken" ? deps.revokeGrant(grantId) : store.destroyAll("grant", grantId, [model]),
  };
}

/** The provider's models in our store. Clients come from the configuration alone. */
export function createAdapterFactory(deps: AdapterDeps): AdapterFactory {
  return (model) => {
    if (model === "Session") return deps.sessions;
    const adapter = createModelAdapter(model, deps);
    return model === "Client" ? { ...adapter, ...noClients } : adapter;
  };
}
