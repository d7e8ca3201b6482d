import { codeForm, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";

export const clientBasic = (id: string): string => `Basic ${btoa(`${id}:${id}-secret`)}`;

export interface UserTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

/** A form with an authorization code of alice, for the client demo-web. */
export async function aliceCode({ url, redis }: Stack): Promise<Readonly<Record<string, string>>> {
  const client = await testRedis(redis?.port ?? 0);
  try {
    return await codeForm({ issuer: url }, { clientId: "demo-web" }, await signedIn(client));
  } finally {
    client.disconnect();
  }
}

/** The tokens that demo-web receives for it. */
export async function aliceTokens(stack: Stack): Promise<UserTokens> {
  const response = await fetch(`${stack.url}/oidc/token`, {
    method: "POST",
    headers: { authorization: clientBasic("demo-web") },
    body: new URLSearchParams(await aliceCode(stack)),
  });
  return JSON.parse(await response.text());
}
