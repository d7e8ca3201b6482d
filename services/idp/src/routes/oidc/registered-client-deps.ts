import type { Audit } from "@postern/shared/domain/audit";
import type { Registrations } from "../../oidc/registered/registrations-redis.ts";
import type { TokenRecords } from "../../oidc/tokens/token-records.ts";

/** What the administration of registered clients needs. */
export interface RegisteredClientDeps {
  readonly registrations: Registrations;
  readonly records: Pick<TokenRecords, "revokeClient">;
  readonly identifier: string;
  readonly audit: Audit;
}
