import type { Audit } from "@postern/shared/domain/audit";
import type { KeyAdministration } from "../../oidc/keys/key-administration.ts";

export interface SigningKeyRouteDeps {
  readonly keyAdministration: KeyAdministration;
  readonly identifier: string;
  readonly audit: Audit;
}
