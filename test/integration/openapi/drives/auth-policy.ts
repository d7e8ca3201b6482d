import type { Drive, DriveParts } from "../drive.ts";

const ask = (command: string, value: object): DriveParts => ({
  query: { command },
  body: { type: "application/json", value },
});
const login = { login: "alice@example.test", remote: "203.0.113.9", pwhash: "05c4", protocol: "imap" };

const drive = (parts: DriveParts, status = 200): Drive => ({ operationId: "authPolicy", status, parts: () => parts });

export const authPolicyDrives: readonly Drive[] = [
  drive(ask("allow", login)),
  drive(ask("report", { ...login, success: false, policy_reject: false })),
  drive(ask("reset", { ip: "203.0.113.9" })),
  drive({ query: { command: "ping" } }),
  drive(ask("report", login), 400),
  { ...drive(ask("addBLEntry", {}), 400), breaksSchema: true },
  { operationId: "authPolicyPing", status: 200, parts: () => ({ query: { command: "ping" } }) },
];
