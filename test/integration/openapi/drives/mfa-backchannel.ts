import type { Drive, DriveParts } from "../drive.ts";

const username = "alice@example.test";
const credential = JSON.stringify({ id: "AQID", publicKey: "AQID", signCount: 1 });
const replacement = JSON.stringify({ id: "AQID", publicKey: "AQID", signCount: 2 });

function drive(operationId: string, status: number, fields: object, breaksSchema?: true): Drive {
  const parts: DriveParts = { body: { type: "application/json", value: fields } };
  return { operationId, status, parts: () => parts, ...(breaksSchema === true && { breaksSchema }) };
}

export const mfaBackchannelDrives: readonly Drive[] = [
  drive("setTotpSecret", 200, { username, totp_secret: "JBSWY3DPEHPK3PXP" }),
  drive("setTotpSecret", 400, { username }, true),
  drive("deleteTotpSecret", 200, { username, backend: "sql" }),
  drive("deleteTotpSecret", 400, { username: "nobody" }),
  drive("unlockSecondFactors", 200, { username }),
  drive("unlockSecondFactors", 400, {}, true),
  drive("setRecoveryCodes", 200, { username, codes: ["ABCD-2345"] }),
  drive("setRecoveryCodes", 400, { username, codes: [] }, true),
  drive("deleteRecoveryCodes", 200, { username }),
  drive("saveWebauthnCredential", 200, { username, credential }),
  drive("saveWebauthnCredential", 400, { username, credential }),
  { operationId: "listWebauthnCredentials", status: 200, parts: () => ({ query: { username } }) },
  { operationId: "listWebauthnCredentials", status: 400, parts: () => ({ query: {} }), breaksSchema: true },
  {
    operationId: "listWebauthnCredentials",
    status: 401,
    parts: () => ({ query: { username }, authorization: null }),
  },
  { operationId: "listSecondFactors", status: 200, parts: () => ({ query: { username } }) },
  { operationId: "listSecondFactors", status: 400, parts: () => ({ query: {} }), breaksSchema: true },
  { operationId: "listSecondFactors", status: 400, parts: () => ({ query: { username: "nobody" } }) },
  drive("updateWebauthnCredential", 200, { username, credential: replacement, old_credential: credential }),
  drive("updateWebauthnCredential", 400, { username, credential: replacement, old_credential: credential }),
  drive("deleteUserPasskey", 200, { username, id: "AQID" }),
  drive("deleteUserPasskey", 400, { username }, true),
  drive("deleteUserAppPassword", 200, { username, id: "0123456789abcdef" }),
  drive("deleteUserAppPassword", 400, { username, id: "0" }, true),
  drive("deleteWebauthnCredential", 200, { username, credential: replacement }),
];
