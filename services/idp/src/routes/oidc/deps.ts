import type { Logger } from "@postern/shared/platform/logging";
import type { ConsentEnd } from "../../flow/flow-port.ts";
import type { ConsoleClaims } from "../../oidc/claims/console-claims.ts";
import type { AuthenticateClient } from "../../oidc/clients/client-auth.ts";
import type { DeviceCodes } from "../../oidc/device/device.ts";
import type { DeviceLimits } from "../../oidc/device/device-limits-redis.ts";
import type { CheckProof } from "../../oidc/dpop/proof.ts";
import type { OidcMetrics } from "../../oidc/metrics/oidc-metrics.ts";
import type { Bridge } from "../../oidc/provider/bridge.ts";
import type { Generations } from "../../oidc/provider/generation.ts";
import type { KeySchedule } from "../../oidc/provider/key-schedule.ts";
import type { ManageClient } from "../../oidc/registered/manage-client.ts";
import type { RegisterClient } from "../../oidc/registered/register-client.ts";
import type { RegisteredClients } from "../../oidc/registered/registered-clients.ts";
import type { RequestObjects } from "../../oidc/request-objects/unpack-request.ts";
import type { OidcStore } from "../../oidc/storage/store.ts";
import type { ResolveToken } from "../../oidc/tokens/resolve-token.ts";
import type { TokenRecords } from "../../oidc/tokens/token-records.ts";
import type { ReportUnreadable } from "../../oidc/tokens/unreadable-claims.ts";

/** What the OIDC endpoints need. */
export interface OidcRoutesDeps {
  readonly issuer: string;
  readonly bridge: Bridge;
  readonly generations: Generations;
  readonly schedule: KeySchedule;
  readonly authenticate: AuthenticateClient;
  readonly requestObjects: RequestObjects;
  readonly store: Pick<OidcStore, "find">;
  readonly records: Pick<TokenRecords, "revokeToken" | "revokeGrant">;
  readonly resolve: ResolveToken;
  readonly checkProof: CheckProof;
  readonly digestOf: (id: string) => string;
  readonly reportUnreadable: ReportUnreadable;
  readonly consoleClaims: ConsoleClaims;
  readonly logger: Logger;
  readonly registered: Pick<RegisteredClients, "load">;
  readonly registerClient: RegisterClient;
  readonly manageClient: ManageClient;
  readonly metrics: OidcMetrics;
}

/** What the consent and device pages of OIDC need. */
export interface OidcPagesDeps extends Pick<OidcRoutesDeps, "generations" | "schedule"> {
  readonly finish: ConsentEnd;
  readonly devices: DeviceCodes;
  readonly deviceLimits: Pick<DeviceLimits, "mayGuess">;
}
