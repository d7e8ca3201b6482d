import type { Drive, DriveParts } from "../drive.ts";

const echo: DriveParts = { path: { hookName: "echo" } };
const body = { type: "application/json", value: { any: "thing" } };

const drives = (operationId: string, parts: DriveParts): readonly Drive[] => [
  { operationId, status: 200, parts: () => parts },
  { operationId, status: 401, parts: () => ({ ...parts, authorization: null }) },
  { operationId, status: 404, parts: () => ({ ...parts, path: { hookName: "none" } }) },
];

export const hookDrives: readonly Drive[] = [
  ...drives("getCustomHook", echo),
  ...["postCustomHook", "putCustomHook", "patchCustomHook", "deleteCustomHook"].flatMap((id) =>
    drives(id, { ...echo, body }),
  ),
];
