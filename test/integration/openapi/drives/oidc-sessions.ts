import { basicAuth, type Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";
import { aliceTokens } from "../oidc-client.ts";
import { registeredClient } from "./registrations.ts";

const account = "alice@example.test";
const user: DriveParts = { path: { user_id: account } };

async function ofAlice(stack: Stack): Promise<DriveParts> {
  await aliceTokens(stack);
  return user;
}

async function oneSession(stack: Stack): Promise<string> {
  await aliceTokens(stack);
  const response = await fetch(`${stack.url}/api/v1/oidc/sessions/${account}`, {
    headers: { authorization: basicAuth },
  });
  const { sessions }: { sessions: readonly { id: string }[] } = JSON.parse(await response.text());
  const [session] = sessions;
  if (session === undefined) throw new Error("no session");
  return session.id;
}

async function registered(stack: Stack): Promise<DriveParts> {
  const { path } = await registeredClient(stack);
  return { path };
}

const one = (user_id: string) => async (stack: Stack) => ({ path: { user_id, token: await oneSession(stack) } });

export const oidcSessionDrives: readonly Drive[] = [
  { operationId: "listOidcSessions", status: 200, parts: ofAlice },
  {
    operationId: "listOidcSessions",
    status: 200,
    parts: async (stack) => ({ ...(await ofAlice(stack)), query: { browser: "true" } }),
  },
  { operationId: "listOidcSessions", status: 400, parts: () => ({ path: { user_id: "" } }), breaksSchema: true },
  { operationId: "listOidcSessions", status: 401, parts: () => ({ ...user, authorization: "Basic YTpi" }) },
  { operationId: "deleteOidcSession", status: 403, parts: one("bob@example.test") },
  { operationId: "deleteOidcSession", status: 204, parts: one(account) },
  { operationId: "deleteOidcSessions", status: 204, parts: ofAlice },
  { operationId: "listRegisteredClients", status: 200, parts: () => ({}) },
  {
    operationId: "listRegisteredClients",
    status: 400,
    parts: () => ({ query: { position: "x" } }),
    breaksSchema: true,
  },
  { operationId: "deleteRegisteredClient", status: 204, parts: registered },
  { operationId: "deleteRegisteredClient", status: 404, parts: () => ({ path: { client_id: "demo-web" } }) },
];
