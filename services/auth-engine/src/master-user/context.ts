import type { Audit } from "@postern/shared/domain/audit";
import type { MasterUserSettings } from "../settings.ts";
import { createMasterUsers, type MasterUsers } from "./master-users.ts";

/** Undefined if no master user is configured. */
export function makeMasterUsers(
  settings: MasterUserSettings | undefined,
  { audit }: { readonly audit: Audit },
): MasterUsers | undefined {
  if (settings === undefined) return undefined;
  return createMasterUsers({
    ...settings,
    audit: ({ masterUser: actor, user: target, ...rest }) =>
      audit.record({ event: "master_user.login", actor, target, ...rest }),
  });
}
