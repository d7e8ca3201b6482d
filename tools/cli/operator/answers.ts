import {
  AsyncJobStatus,
  BruteForceFlush,
  BruteForceFlushAsync,
  BruteForceList,
  CacheFlush,
  CacheFlushAsync,
  ConfigLoad,
} from "@postern/shared/contracts";
import { type Static, type TSchema, Type } from "typebox";
import { Check } from "typebox/value";
import { ApiError } from "./api.ts";

/** Contract, "OIDC session record". */
const Sessions = Type.Object({
  sessions: Type.Array(
    Type.Object({
      id: Type.String(),
      client_id: Type.String(),
      user_id: Type.String(),
      username: Type.String(),
      mfa_method: Type.Optional(Type.String()),
      scopes: Type.Array(Type.String()),
      auth_time: Type.String(),
      mfa_completed: Type.Boolean(),
    }),
  ),
});

function reader<Schema extends TSchema>(schema: Schema) {
  return (value: unknown): Static<Schema> => {
    if (Check(schema, value)) return value;
    throw new ApiError(0, "the answer is not what this version understands");
  };
}

export const readJob = reader(AsyncJobStatus);
export const readBruteForceFlush = reader(BruteForceFlush);
export const readBruteForceFlushAsync = reader(BruteForceFlushAsync);
export const readBans = reader(BruteForceList);
export const readCacheFlush = reader(CacheFlush);
export const readCacheFlushAsync = reader(CacheFlushAsync);
export const readConfig = reader(ConfigLoad);
export const readSessions = reader(Sessions);
