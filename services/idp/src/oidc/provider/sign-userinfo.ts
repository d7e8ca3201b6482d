import type { Generation } from "./generation.ts";

/** The claims as a JWT, for a client that is registered for signed responses (OpenID Connect Core §5.3.2). */
export type SignUserinfo = (clientId: string, claims: Readonly<Record<string, unknown>>) => Promise<string | undefined>;

export function createSignUserinfo(current: () => Pick<Generation, "provider">): SignUserinfo {
  return async (clientId, claims) => {
    const { provider } = current();
    const client = await provider.Client.find(clientId);
    if (client === undefined || typeof client["userinfoSignedResponseAlg"] !== "string") return undefined;
    const token = new provider.IdToken({}, { client });
    for (const [name, value] of Object.entries(claims)) token.set(name, value);
    return token.issue({ use: "userinfo" });
  };
}
