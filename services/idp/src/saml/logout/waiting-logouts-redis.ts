import { samlWaitingLogoutKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import type { Stored } from "../../redis/stored.ts";
import { createWaitingRecords, type SamlRedisDeps } from "../state/saml-redis.ts";
import { ProviderEnd } from "./logout-transactions-redis.ts";

const Named = Type.Object({ end: ProviderEnd, nameId: Type.String(), sessionIndexes: Type.Array(Type.String()) });

/** A verified LogoutRequest of a service provider; its end says how to respond. */
export type NamedLogout = Stored<typeof Named>;

/** Verified logout requests that another site has posted. They wait for a request of the same browser that has its cookies. */
export const createWaitingLogouts = (deps: SamlRedisDeps) => createWaitingRecords(deps, samlWaitingLogoutKey, Named);
