import type { Drive } from "../drive.ts";

export const signingKeyDrives: readonly Drive[] = [
  { operationId: "listSigningKeys", status: 200, parts: () => ({}) },
  { operationId: "listSigningKeys", status: 401, parts: () => ({ authorization: "Basic YTpi" }) },
  { operationId: "rotateSigningKeys", status: 200, parts: () => ({}) },
];
