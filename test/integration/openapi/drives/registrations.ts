import type { Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";

const scope = "urn:ietf:params:oauth:scope:mail";
const ofMail = { client_name: "Example Mail", redirect_uris: ["http://127.0.0.1/callback"], scope };
const ofApp = { client_name: "Example app", redirect_uris: ["https://app.example.test/callback"] };
const json = (value: object) => ({ type: "application/json", value }) as const;
const open = (value: object) => (): DriveParts => ({ body: json(value), authorization: null });

/** A client of dynamic registration, with the token that manages it. */
export async function registeredClient(stack: Stack) {
  const response = await fetch(`${stack.url}/oidc/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ofApp),
  });
  const { client_id, registration_access_token: token }: Record<string, string> = JSON.parse(await response.text());
  return { path: { client_id: client_id ?? "" }, authorization: `Bearer ${token}` };
}

const update =
  (metadata: object) =>
  async (stack: Stack): Promise<DriveParts> => {
    const client = await registeredClient(stack);
    return { ...client, body: json({ ...metadata, client_id: client.path.client_id }) };
  };

const unknown: DriveParts = { path: { client_id: "none" }, authorization: "Bearer none" };

export const registrationDrives: readonly Drive[] = [
  { operationId: "registerClient", status: 201, parts: open(ofMail) },
  { operationId: "registerClient", status: 201, parts: open(ofApp) },
  { operationId: "registerClient", status: 400, parts: open({ redirect_uris: ["javascript:alert(1)"] }) },
  { operationId: "readClientRegistration", status: 200, parts: registeredClient },
  { operationId: "readClientRegistration", status: 401, parts: () => unknown },
  { operationId: "updateClientRegistration", status: 200, parts: update(ofApp) },
  { operationId: "updateClientRegistration", status: 400, parts: update({ redirect_uris: ["javascript:alert(1)"] }) },
  {
    operationId: "updateClientRegistration",
    status: 401,
    parts: () => ({ ...unknown, body: json({ ...ofApp, client_id: "none" }) }),
  },
  { operationId: "deleteClientRegistration", status: 204, parts: registeredClient },
  { operationId: "deleteClientRegistration", status: 401, parts: () => unknown },
];
