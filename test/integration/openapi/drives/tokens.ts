import type { Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";

const type = "application/json";
export const operator = { username: "operator", password: "demo-operator-password" };

const logIn = (value: unknown): DriveParts => ({ body: { type, value }, authorization: null });

async function refreshToken({ url }: Stack): Promise<string> {
  const response = await fetch(`${url}/api/v1/jwt/token`, {
    method: "POST",
    headers: { "content-type": type },
    body: JSON.stringify(operator),
  });
  const body: { refresh_token: string } = JSON.parse(await response.text());
  return body.refresh_token;
}

const refresh = (token: string): DriveParts => ({ headers: { "X-Refresh-Token": token }, authorization: null });

export const tokenDrives: readonly Drive[] = [
  { operationId: "issueToken", status: 200, parts: () => logIn(operator) },
  { operationId: "issueToken", status: 401, parts: () => logIn({ ...operator, password: "wrong" }) },
  { operationId: "issueToken", status: 403, parts: () => logIn({ ...operator, username: "nobody" }) },
  { operationId: "issueToken", status: 400, parts: () => logIn({ username: "operator" }), breaksSchema: true },
  { operationId: "refreshToken", status: 200, parts: async (stack) => refresh(await refreshToken(stack)) },
  { operationId: "refreshToken", status: 401, parts: () => refresh("no-such-token") },
  { operationId: "refreshToken", status: 400, parts: () => ({ authorization: null }), breaksSchema: true },
];
